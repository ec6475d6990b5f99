// envs/mujoco/renderer.cpp - MuJoCo's renderer on an OpenGL context without a display.
#include "envs/mujoco/renderer.h"

#include "base/text.h"
#include "envs/registry.h"
#include "mneme/error.h"

#if MNEME_MUJOCO
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "envs/mujoco/simulation.h"
#endif

namespace mneme::envs {

#if MNEME_MUJOCO
namespace {

/// A current OpenGL context.
class Context {
 public:
  virtual ~Context() = default;
};

template <class F>
bool find(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

// EGL, loaded at run time: mneme does not link to it.
class Egl final : public Context {
 public:
  /// Null, and what is `missing`, where it does not work.
  static std::unique_ptr<Context> make(std::string& missing) {
    auto egl = std::unique_ptr<Egl>(new Egl);
    missing = egl->start();
    if (!missing.empty()) return nullptr;
    return egl;
  }
  ~Egl() override {
    if (context_ != nullptr) {
      make_current_(display_, nullptr, nullptr, nullptr);
      destroy_context_(display_, context_);
    }
    if (display_ != nullptr) terminate_(display_);
  }

 private:
  using Int = std::int32_t;
  using Bool = unsigned;
  enum : Int {
    kNone = 0x3038,
    kAlpha = 0x3021,
    kBlue = 0x3022,
    kGreen = 0x3023,
    kRed = 0x3024,
    kDepth = 0x3025,
    kStencil = 0x3026,
    kSurfaceType = 0x3033,
    kRenderableType = 0x3040,
    kPbuffer = 0x0001,
    kOpenGl = 0x0008
  };
  static constexpr unsigned kSurfaceless = 0x31DD, kOpenGlApi = 0x30A2;

  std::string start() {
    void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return "there is no libEGL.so.1";
    void* (*get_display)(void*) = nullptr;
    void* (*get_platform_display)(unsigned, void*, const std::intptr_t*) = nullptr;
    Bool (*initialize)(void*, Int*, Int*) = nullptr;
    Bool (*bind_api)(unsigned) = nullptr;
    Bool (*choose_config)(void*, const Int*, void**, Int, Int*) = nullptr;
    void* (*create_context)(void*, void*, void*, const Int*) = nullptr;
    if (!find(library, "eglGetDisplay", get_display) ||
        !find(library, "eglInitialize", initialize) || !find(library, "eglBindAPI", bind_api) ||
        !find(library, "eglChooseConfig", choose_config) ||
        !find(library, "eglCreateContext", create_context) ||
        !find(library, "eglMakeCurrent", make_current_) ||
        !find(library, "eglDestroyContext", destroy_context_) ||
        !find(library, "eglTerminate", terminate_))
      return "libEGL.so.1 lacks functions";
    // Mesa's surfaceless platform needs neither a display nor a graphics card; others know the
    // default display.
    if (find(library, "eglGetPlatformDisplay", get_platform_display)) {
      display_ = get_platform_display(kSurfaceless, nullptr, nullptr);
      if (display_ != nullptr && initialize(display_, nullptr, nullptr) == 0) display_ = nullptr;
    }
    if (display_ == nullptr) {
      display_ = get_display(nullptr);
      if (display_ != nullptr && initialize(display_, nullptr, nullptr) == 0) display_ = nullptr;
    }
    if (display_ == nullptr) return "libEGL.so.1 finds no driver";
    const Int wanted[] = {kRed,         8,        kGreen,          8,       kBlue,    8,
                          kAlpha,       8,        kDepth,          24,      kStencil, 8,
                          kSurfaceType, kPbuffer, kRenderableType, kOpenGl, kNone};
    void* config = nullptr;
    Int found = 0;
    if (choose_config(display_, wanted, &config, 1, &found) == 0 || found == 0)
      return "its driver has no format with 24 bits of depth and 8 of stencil";
    if (bind_api(kOpenGlApi) == 0) return "its driver has OpenGL ES only";
    context_ = create_context(display_, config, nullptr, nullptr);
    if (context_ == nullptr || make_current_(display_, nullptr, nullptr, context_) == 0)
      return "its driver makes no context";
    return "";
  }

  void* display_ = nullptr;
  void* context_ = nullptr;
  Bool (*make_current_)(void*, void*, void*, void*) = nullptr;
  Bool (*destroy_context_)(void*, void*) = nullptr;
  Bool (*terminate_)(void*) = nullptr;
};

class OsMesa final : public Context {
 public:
  static std::unique_ptr<Context> make(int width, int height, std::string& missing) {
    auto mesa = std::unique_ptr<OsMesa>(new OsMesa);
    missing = mesa->start(width, height);
    if (!missing.empty()) return nullptr;
    return mesa;
  }
  ~OsMesa() override {
    if (context_ != nullptr) destroy_(context_);
  }

 private:
  std::string start(int width, int height) {
    constexpr unsigned kRgba = 0x1908, kBytes = 0x1401;
    void* library = nullptr;
    for (const char* name : {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"})
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return "there is no libOSMesa.so.8";
    void* (*create)(unsigned, int, int, int, void*) = nullptr;
    unsigned char (*make_current)(void*, void*, unsigned, int, int) = nullptr;
    if (!find(library, "OSMesaCreateContextExt", create) ||
        !find(library, "OSMesaMakeCurrent", make_current) ||
        !find(library, "OSMesaDestroyContext", destroy_))
      return "libOSMesa.so lacks functions";
    memory_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
    context_ = create(kRgba, 24, 8, 0, nullptr);
    if (context_ == nullptr || make_current(context_, memory_.data(), kBytes, width, height) == 0)
      return "it makes no context";
    return "";
  }

  std::vector<std::uint8_t> memory_;
  void* context_ = nullptr;
  void (*destroy_)(void*) = nullptr;
};

// The first that works; MUJOCO_GL, which MuJoCo's own Python package reads too, names one.
std::unique_ptr<Context> make_context(int width, int height) {
  const char* named = std::getenv("MUJOCO_GL");
  const std::string wanted = named == nullptr ? "" : named;
  if (!wanted.empty() && wanted != "egl" && wanted != "osmesa")
    throw InvalidArgument(concat("MUJOCO_GL is '", wanted,
                                 "'; pictures are drawn with egl or osmesa, or leave it out"));
  std::string tried;
  if (wanted != "osmesa") {
    std::string missing;
    if (auto context = Egl::make(missing)) return context;
    tried += concat(" EGL: ", missing, '.');
  }
  if (wanted != "egl") {
    std::string missing;
    if (auto context = OsMesa::make(width, height, missing)) return context;
    tried += concat(" OSMesa: ", missing, '.');
  }
  throw NotFound(concat(
      "pictures need an OpenGL that works without a display; apt-get install libegl1 libegl-mesa0 "
      "(EGL) or libosmesa6 (OSMesa).",
      tried));
}

// Whether nothing can leave the ground: such tasks are seen from above.
bool moves_in_the_plane(const mjModel* m) {
  for (int j = 0; j < static_cast<int>(m->njnt); ++j) {
    const bool upward = std::abs(m->jnt_axis[3 * j + 2]) > 0.5;
    const bool flat =
        m->jnt_type[j] == mjJNT_HINGE ? upward : m->jnt_type[j] == mjJNT_SLIDE && !upward;
    if (!flat) return false;
  }
  return true;
}

class MujocoRenderer final : public Renderer {
 public:
  MujocoRenderer(std::unique_ptr<Task> task, std::unique_ptr<Context> context, int width,
                 int height)
      : context_(std::move(context)), task_(std::move(task)), width_(width), height_(height) {
    const mjModel* m = task_->simulation()->m();
    Rng start(0);
    task_->reset(start);
    mjv_defaultScene(&scene_);
    mjv_makeScene(m, &scene_, 4000);
    mjr_defaultContext(&renderer_);
    mjr_makeContext(m, &renderer_, mjFONTSCALE_100);
    mjr_setBuffer(mjFB_OFFSCREEN, &renderer_);
    mjr_resizeOffscreen(width, height, &renderer_);
    mjv_defaultOption(&options_);
    // From the side, following the first body that can move.
    mjv_defaultFreeCamera(m, &camera_);
    camera_.azimuth = 90;
    camera_.elevation = moves_in_the_plane(m) ? -60 : -15;
    if (m->njnt > 0 && m->nbody > 4) {
      camera_.type = mjCAMERA_TRACKING;
      camera_.trackbodyid = m->jnt_bodyid[0];
      camera_.distance = std::min(camera_.distance, 5.0);
    }
  }
  ~MujocoRenderer() override {
    mjr_freeContext(&renderer_);
    mjv_freeScene(&scene_);
  }

  double step_seconds() const override {
    return task_->simulation()->m()->opt.timestep * task_->substeps();
  }

  void draw(std::span<const double> physics, std::span<std::uint8_t> rgb) override {
    const std::size_t row = static_cast<std::size_t>(width_) * 3;
    if (rgb.size() != row * static_cast<std::size_t>(height_))
      throw InvalidArgument("a picture must have width x height x 3 bytes");
    task_->set_physics(physics);
    Simulation& sim = *task_->simulation();
    mjv_updateScene(sim.m(), sim.d(), &options_, nullptr, &camera_, mjCAT_ALL, &scene_);
    const mjrRect all{0, 0, width_, height_};
    mjr_render(all, &scene_, &renderer_);
    mjr_readPixels(rgb.data(), nullptr, all, &renderer_);
    // OpenGL's first row is the bottom one.
    for (int y = 0; y < height_ / 2; ++y)
      std::swap_ranges(rgb.begin() + static_cast<std::ptrdiff_t>(row) * y,
                       rgb.begin() + static_cast<std::ptrdiff_t>(row) * (y + 1),
                       rgb.begin() + static_cast<std::ptrdiff_t>(row) * (height_ - 1 - y));
  }

 private:
  std::unique_ptr<Context> context_;
  std::unique_ptr<Task> task_;
  int width_, height_;
  mjvScene scene_{};
  mjrContext renderer_{};
  mjvOption options_{};
  mjvCamera camera_{};
};

}  // namespace

std::unique_ptr<Renderer> make_renderer(std::string_view name, int width, int height) {
  if (width < 16 || height < 16 || width > 1920 || height > 1080)
    throw InvalidArgument(
        concat("a picture must be 16 x 16 to 1920 x 1080, got ", width, " x ", height));
  auto task = make_task(parse_env_spec(name));
  if (task->simulation() == nullptr) throw NotFound(concat(name, " has no physics to draw"));
  return std::make_unique<MujocoRenderer>(std::move(task), make_context(width, height), width,
                                          height);
}
#else
std::unique_ptr<Renderer> make_renderer(std::string_view name, int, int) {
  throw NotFound(concat(name, " cannot be drawn: mneme was built without MuJoCo"));
}
#endif

}  // namespace mneme::envs
