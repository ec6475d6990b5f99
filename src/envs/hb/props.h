// envs/hb/props.h - furniture and things that stand in more than one scene, as shapes of a body
// whose origin is on the floor, or where it stands.
#pragma once

#include <string>

namespace mneme::envs::hb {

/// 15.7 kg. What is touched weighs nothing; what is seen is not touched and has the mass.
std::string chair();
/// A square meter, 0.5 m above the body's origin.
std::string table();
/// Six boards 0.3 m apart under a top, open towards -x.
std::string shelf();

/// 1.51 kg, 2.91 kg (`y`: where its middle is), 5.13 kg.
std::string trophy();
std::string headphone(double y = 0);
std::string snow_globe();

}  // namespace mneme::envs::hb
