// ledger/database.cpp - opening, stepping, and what SQLite's codes mean for the user.
#include "ledger/database.h"

#include <sqlite3.h>

#include <cmath>
#include <thread>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

bool is_busy(int code) { return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED; }

// The file or its folder may not be written.
bool is_refused(int code) {
  const int kind = code & 0xff;
  return kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN || kind == SQLITE_PERM;
}

// A path inside a URI.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const bool special = c == '%' || c == '?' || c == '#';
    out += special ? concat('%', "0123456789ABCDEF"[c >> 4], "0123456789ABCDEF"[c & 15])
                   : std::string(1, c);
  }
  return out;
}

}  // namespace

Database::Database(std::filesystem::path path, Mode mode, std::chrono::milliseconds patience)
    : path_(std::move(path)) {
  std::error_code error;
  const auto type = std::filesystem::status(path_, error).type();
  if (mode == Mode::open && type == std::filesystem::file_type::not_found)
    throw NotFound(concat(path_.string(), ": there is no ledger here; mneme study makes one, ",
                          "--ledger FILE names another"));
  if (type != std::filesystem::file_type::not_found && type != std::filesystem::file_type::regular)
    throw IoError(concat(path_.string(), " is not a regular file"));
  try {
    const int create = mode == Mode::create ? SQLITE_OPEN_CREATE : 0;
    int code = try_open(path_.string(), SQLITE_OPEN_READWRITE | create);
    if (code == SQLITE_OK) code = configure(patience);
    if (is_refused(code) && mode == Mode::open) code = open_read_only();
    if (code != SQLITE_OK) fail(code);
    execute("PRAGMA foreign_keys = ON");
  } catch (...) {
    close();
    throw;
  }
}

int Database::try_open(const std::string& name, int flags) {
  close();
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code == SQLITE_OK) sqlite3_extended_result_codes(handle_, 1);
  return code;
}

int Database::configure(std::chrono::milliseconds patience) {
  sqlite3_busy_timeout(handle_, static_cast<int>(patience.count()));
  // Two processes that make the same file at once: SQLite does not wait here by itself.
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const int code = sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (is_busy(code) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    if (code != SQLITE_OK) return code;
    // SQLite opens a file it may not write for reading, and says so only here.
    if (sqlite3_db_readonly(handle_, "main") == 1) return SQLITE_READONLY;
    // A power loss may undo the last commits, whole; the runs' own files still have them.
    return sqlite3_exec(handle_, "PRAGMA synchronous = NORMAL", nullptr, nullptr, nullptr);
  }
}

int Database::open_read_only() {
  read_only_ = true;
  const auto readable = [&](const std::string& name) {
    const int code = try_open(name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    if (code != SQLITE_OK) return code;
    return sqlite3_exec(handle_, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
  };
  const std::string uri = "file:" + escaped(std::filesystem::absolute(path_).string());
  const int code = readable(uri + "?mode=ro");
  // In a folder that cannot be written SQLite cannot make its -shm file. Without a -wal file no process
  // is writing, and everything is in the file itself.
  std::error_code error;
  const auto wal = std::filesystem::file_size(path_.string() + "-wal", error);
  return is_refused(code) && (error || wal == 0) ? readable(uri + "?immutable=1") : code;
}

void Database::close() {
  sqlite3_close_v2(handle_);
  handle_ = nullptr;
}

Database::~Database() { close(); }

void Database::execute(const std::string& sql) const {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(std::string_view sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_); }

void Database::fail(int code) const {
  const std::string where = path_.string();
  const std::string words = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw IoError(concat(where, " is locked: another process has been writing to it all the ",
                           "time. Nothing was lost; try again when it is done"));
    case SQLITE_FULL:
      throw IoError(concat(where, ": the disk is full. Nothing that was there is lost; make room ",
                           "and start again"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw CorruptData(concat(where, " is corrupt or not a mneme ledger (", words,
                               "). Move it away: mneme ",
                               "study makes a new one from the runs' own files"));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw IoError(concat(where, ": cannot open for writing (", words, ")"));
    default:
      throw IoError(concat(where, ": ", words));
  }
}

Statement::Statement(const Database& of, std::string_view sql) : of_(of) {
  const int code = sqlite3_prepare_v2(of.handle_, sql.data(), static_cast<int>(sql.size()),
                                      &statement_, nullptr);
  if (code != SQLITE_OK) of.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(std::int64_t number) {
  sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

Statement& Statement::bind(double number) {
  sqlite3_bind_double(statement_, ++bound_, number);
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  // A null pointer would bind NULL, which differs from an empty text.
  sqlite3_bind_text(statement_, ++bound_, text.empty() ? "" : text.data(),
                    static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    reset();
    of_.fail(code);
  }
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() {
  sqlite3_reset(statement_);
  bound_ = 0;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nan("");
  return sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
  const unsigned char* characters = sqlite3_column_text(statement_, column);
  const int bytes = sqlite3_column_bytes(statement_, column);
  if (characters == nullptr) return {};
  return {reinterpret_cast<const char*>(characters), static_cast<std::size_t>(bytes)};
}

Transaction::Transaction(const Database& db) : db_(db) { db.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (!open_) return;
  try {
    db_.execute("ROLLBACK");
  } catch (const std::exception&) {  // a full disk has rolled it back already
  }
}

void Transaction::commit() {
  db_.execute("COMMIT");
  open_ = false;
}

}  // namespace mneme::lab
