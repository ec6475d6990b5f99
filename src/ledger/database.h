// ledger/database.h - SQLite behind a class: statements that clean up, errors as sentences.
//
//   Database db(path, Database::Mode::create);
//   Transaction all(db);                                  // takes the write lock, waits for it
//   db.prepare("INSERT INTO name (text) VALUES (?)").bind("loss").run();
//   all.commit();                                         // without it nothing is stored
//
// Several processes may have the file open: readers do not wait for a writer, a second writer waits
// for the first. One thread at a time per object.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace mneme::lab {

class Database;

/// One statement with its values; rows are read where `step` stands.
class Statement {
 public:
  Statement(const Database& of, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// The next value of the statement, in the order of its question marks. NaN is stored as NULL.
  Statement& bind(std::int64_t number);
  Statement& bind(int number) { return bind(static_cast<std::int64_t>(number)); }
  Statement& bind(double number);
  Statement& bind(std::string_view text);
  Statement& bind(const char* text) { return bind(std::string_view(text)); }
  Statement& bind(const std::string& text) { return bind(std::string_view(text)); }

  /// Whether there is another row. Throws IoError, CorruptData.
  bool step();
  /// To its end, and ready for other values.
  void run();
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;  ///< NaN for NULL
  std::string text(int column) const;

 private:
  const Database& of_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

class Database {
 public:
  /// open: an existing file; for reading alone where it cannot be written. create: made if missing.
  enum class Mode { open, create };
  /// `patience`: how long a writer waits for another one. Throws NotFound if there is no such file
  /// and the mode is `open`, IoError, CorruptData.
  Database(std::filesystem::path path, Mode mode, std::chrono::milliseconds patience);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Statement prepare(std::string_view sql) const { return Statement(*this, sql); }
  /// Several statements without values.
  void execute(const std::string& sql) const;
  std::int64_t number(std::string_view sql) const;
  std::int64_t last_id() const;
  const std::filesystem::path& path() const { return path_; }
  /// Opened for reading alone: every write throws IoError.
  bool read_only() const { return read_only_; }

  /// What an SQLite code means here: throws the right error, with a sentence.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  int try_open(const std::string& name, int flags);
  int configure(std::chrono::milliseconds patience);
  int open_read_only();
  void close();

  std::filesystem::path path_;
  bool read_only_ = false;
  sqlite3* handle_ = nullptr;
};

/// Everything until `commit`, or nothing of it.
class Transaction {
 public:
  explicit Transaction(const Database& db);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& db_;
  bool open_ = true;
};

}  // namespace mneme::lab
