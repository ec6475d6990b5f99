// bench/agents/rl_tools_sac.cpp - the SAC of a user's copy of rl-tools as a contestant of
// sac_peers.py: Pendulum, 256-256, batches of 256, one update per step.
//
//   rl_tools_sac BEFORE UNTIL    prints the seconds of the steps between, and the updates in all
//
// Compiled by scripts/bench sac --rl-tools DIR, with OpenBLAS and this machine's instructions.
#define RL_TOOLS_NN_DISABLE_GENERIC_FORWARD_BACKWARD

// In an order: what a header uses was declared by those before it.
// clang-format off
#include <rl_tools/operations/cpu_mux.h>
#include <rl_tools/nn/optimizers/adam/instance/operations_generic.h>
#include <rl_tools/nn/operations_cpu_mux.h>
#include <rl_tools/nn/layers/sample_and_squash/operations_generic.h>
#include <rl_tools/rl/environments/pendulum/operations_cpu.h>
#include <rl_tools/nn_models/mlp/operations_generic.h>
#include <rl_tools/nn_models/sequential/operations_generic.h>
#include <rl_tools/nn_models/random_uniform/operations_generic.h>
#include <rl_tools/nn/optimizers/adam/operations_generic.h>
#include <rl_tools/rl/algorithms/sac/loop/core/config.h>
#include <rl_tools/rl/algorithms/sac/loop/core/operations_generic.h>
// clang-format on

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

namespace rlt = rl_tools;
using Device = rlt::devices::DEVICE_FACTORY<>;
using Count = Device::index_t;
using Types = rlt::numeric_types::Policy<float>;
using Pendulum = rlt::rl::environments::Pendulum<rlt::rl::environments::pendulum::Specification<
    float, Count, rlt::rl::environments::pendulum::DefaultParameters<float>>>;

constexpr Count kFirstUpdate = 500;

struct Sizes : rlt::rl::algorithms::sac::loop::core::DefaultParameters<Types, Count, Pendulum> {
  struct SAC_PARAMETERS
      : rlt::rl::algorithms::sac::DefaultParameters<Types, Count, Pendulum::ACTION_DIM> {
    static constexpr Count ACTOR_BATCH_SIZE = 256, CRITIC_BATCH_SIZE = 256;
  };
  static constexpr Count N_WARMUP_STEPS = kFirstUpdate, N_WARMUP_STEPS_CRITIC = kFirstUpdate,
                         N_WARMUP_STEPS_ACTOR = kFirstUpdate;
  static constexpr Count STEP_LIMIT = 100'000, REPLAY_BUFFER_CAP = STEP_LIMIT;
  // Layers counted with the last one.
  static constexpr Count ACTOR_NUM_LAYERS = 3, ACTOR_HIDDEN_DIM = 256;
  static constexpr Count CRITIC_NUM_LAYERS = 3, CRITIC_HIDDEN_DIM = 256;
};

using Loop = rlt::rl::algorithms::sac::loop::core::Config<
    Types, Count, Device::SPEC::RANDOM::ENGINE<>, Pendulum, Sizes,
    rlt::rl::algorithms::sac::loop::core::ConfigApproximatorsMLP>;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "rl_tools_sac BEFORE UNTIL\n"), 2;
  const auto before = static_cast<Count>(std::atol(words[1]));
  const auto until = static_cast<Count>(std::atol(words[2]));
  Device device;
  Loop::State<Loop> state;
  rlt::malloc(device, state);
  rlt::init(device, state, 0);
  while (state.step < before) rlt::step(device, state);
  const double processor = processor_seconds(), wall = wall_seconds();
  while (state.step < until) rlt::step(device, state);
  std::printf("{\"processor\": %.6f, \"clock\": %.6f, \"updates\": %ld}\n",
              processor_seconds() - processor, wall_seconds() - wall,
              static_cast<long>(until - kFirstUpdate));
}
