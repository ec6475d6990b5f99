// ledger/schema.h - the tables of a ledger, and how an older one becomes a current one.
#pragma once

#include "ledger/database.h"

namespace mneme::lab {

/// The version this program writes.
int ledger_version();

/// Makes missing tables and takes missing steps, all in one transaction. Throws InvalidArgument for
/// a ledger of a newer program or an older one that cannot be written, CorruptData for a database of
/// another program; nothing has changed then.
void bring_up_to_date(const Database& db);

/// The statements that make version `version` out of the one before it, for tests.
const char* schema_step(int version);

}  // namespace mneme::lab
