// Shared memory that killed processes leave behind: it outlives them, and holds memory until somebody removes it.
#pragma once

#include <filesystem>

namespace graphnet {

// Removes from `folder` the segments of this user whose names carry the id of a process that is no more: those of
// LLVM's and Intel's OpenMP, of torch.multiprocessing and of loky, whose users remove them at exit and cannot when they
// are killed. Others are left alone, since nothing tells whose they are. Never fails: what cannot be removed stays.
void remove_orphaned_shared_memory(const std::filesystem::path& folder = "/dev/shm");

}  // namespace graphnet
