// ledger/schema.h - the tables of a ledger, and how an older one becomes a current one.
#pragma once

#include "ledger/database.h"

namespace mneme::lab {

/// The version this program writes.
int ledger_version();

/// Tables where there are none, missing steps where the ledger is older, all in one transaction.
/// Throws InvalidArgument for a ledger of a newer program, CorruptData for a file that is none;
/// nothing has changed then.
void bring_up_to_date(const Database& db);

/// The statements that make version `version` out of the one before it, for tests.
const char* schema_step(int version);

}  // namespace mneme::lab
