// ledger/database.cpp - opening, stepping, and what SQLite's codes mean for whoever typed the
// command.
#include "ledger/database.h"

#include <sqlite3.h>

#include <cmath>
#include <thread>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

bool is_busy(int code) { return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED; }

}  // namespace

Database::Database(std::filesystem::path path, Mode mode, std::chrono::milliseconds patience)
    : path_(std::move(path)) {
  std::error_code error;
  if (mode == Mode::open && !std::filesystem::exists(path_, error))
    throw NotFound(concat(path_.string(), ": there is no ledger here; mneme study makes one, ",
                          "--ledger FILE names another"));
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, static_cast<int>(patience.count()));
    // Two processes that make the same file at once: SQLite does not wait here by itself.
    const auto end = std::chrono::steady_clock::now() + patience;
    for (;;) {
      const int mode_code =
          sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
      if (mode_code == SQLITE_OK) break;
      if (!is_busy(mode_code) || std::chrono::steady_clock::now() > end) fail(mode_code);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    // A power loss may undo the last commits, whole; the runs' own files still have them.
    execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  } catch (...) {
    sqlite3_close_v2(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close_v2(handle_); }

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
                           "while. Nothing was lost; try again when it is done"));
    case SQLITE_FULL:
      throw IoError(concat(where, ": the disk is full. Nothing that was there is lost; make room ",
                           "and start again"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw CorruptData(concat(where, " is damaged or no ledger (", words,
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
  // No characters at all would be NULL, which is something else than an empty text.
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
