// os/machine.h - what a run was made with, and what there is to make it with.
#pragma once

#include <filesystem>
#include <string>

namespace mneme::lab {

/// Name, processor, cores.
std::string machine_text();
/// Version and compiler.
std::string build_text();
/// Bytes that a process may still write where `path` is, or its nearest folder that exists.
double free_disk(const std::filesystem::path& path);
/// Bytes that programs may still take.
double free_memory();
/// The program that is running.
std::filesystem::path own_program();

}  // namespace mneme::lab
