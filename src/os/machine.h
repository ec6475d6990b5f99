// os/machine.h - the host, the build, free memory and disk.
#pragma once

#include <filesystem>
#include <string>

namespace mneme::lab {

/// Name, processor, cores.
std::string machine_text();
/// Version and compiler.
std::string build_text();
/// Bytes free on the disk of `path`, or of its nearest parent that exists.
double free_disk(const std::filesystem::path& path);
/// Bytes of memory that programs can still allocate.
double free_memory();
/// The path of the running program.
std::filesystem::path own_program();

}  // namespace mneme::lab
