// envs/mujoco/renderer.h - off-screen pictures of a task.
//
// Needs MuJoCo and an OpenGL that works without a display: EGL (libEGL.so.1, with a graphics card
// or Mesa's software renderer) or OSMesa (libOSMesa.so). Both are searched for when a renderer is
// made, not when mneme is built. A renderer belongs to the thread that made it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace mneme::envs {

class Renderer {
 public:
  virtual ~Renderer() = default;
  /// How long one step of the task lasts, in seconds.
  virtual double step_seconds() const = 0;
  /// Draws the state that VecEnv::physics gave: width x height x 3 bytes, top row first.
  virtual void draw(std::span<const double> physics, std::span<std::uint8_t> rgb) = 0;
};

/// `task`: a task spec. Throws NotFound with what to install where a picture cannot be drawn, and
/// for tasks without physics.
std::unique_ptr<Renderer> make_renderer(std::string_view task, int width, int height);

}  // namespace mneme::envs
