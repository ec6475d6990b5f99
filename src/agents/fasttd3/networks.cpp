// agents/fasttd3/networks.cpp - FastTD3's actor and critics.
#include "agents/fasttd3/networks.h"

#include "agents/nn/kernels/autocast.h"
#include "agents/nn/layers/initial.h"
#include "agents/nn/layers/mlp.h"

namespace mneme::fasttd3 {
namespace {

Linear add_linear(nn::Parameters& to, const std::string& name, std::int64_t in, std::int64_t out,
                  double deviation, at::Generator* generator) {
  const bool plain = deviation < 0;
  const at::Tensor weight = plain ? nn::uniform_fan_in({out, in}, in, generator)
                                  : nn::normal({out, in}, deviation, generator);
  const at::Tensor bias =
      plain ? nn::uniform_fan_in({out}, in, generator) : at::zeros({out}, at::kDouble);
  return {to.add(name + ".weight", weight), to.add(name + ".bias", bias)};
}

std::int64_t input_of(const FastTD3Settings& s, const NetworkShape& shape) {
  return shape.observation + (shape.tasks > 1 ? s.task_embedding_dim : 0);
}

bool sim_of(const FastTD3Settings& s, const char* who) {
  return s.sim_type == who || s.sim_type == "both";
}

nn::SphereOptions sphere(std::int64_t members, std::int64_t width, std::int64_t blocks) {
  return {.kind = nn::Sphere::fasttd3, .members = members, .width = width, .blocks = blocks};
}

}  // namespace

Mlp::Mlp(nn::Parameters& to, const std::string& name, const MlpOptions& o, at::Generator* generator)
    : options(o) {
  const std::int64_t third = o.sim_groups > 0 ? o.sim_groups * o.sim_dimension : o.width / 4;
  const std::array widths{o.in, o.width, o.width / 2, third, o.out};
  for (std::size_t k = 0; k < layers.size(); ++k)
    layers[k] = add_linear(to, concat(name, ".layer", k), widths[k], widths[k + 1],
                           k == 3 ? o.last_deviation : -1, generator);
  if (o.sim_groups == 0) return;
  norm = {to.add(name + ".norm.weight", at::ones({third}, at::kDouble)),
          to.add(name + ".norm.bias", at::zeros({third}, at::kDouble))};
}

at::Tensor Mlp::operator()(const at::Tensor& x, const at::Tensor& action) const {
  const std::size_t in_front = options.sim_groups > 0 ? 3 : 4;  // of anything but a ReLU
  std::vector<at::Tensor> list;
  for (std::size_t k = 0; k < in_front; ++k)
    list.insert(list.end(), {layers[k].weight, layers[k].bias});
  at::Tensor y = nn::perceptron(x, action, list);
  if (options.sim_groups == 0) return y;
  const std::int64_t width = options.sim_groups * options.sim_dimension;
  y = at::layer_norm(y, {width}, norm.weight, norm.bias, 1e-5);
  y = y.view({-1, options.sim_groups, options.sim_dimension}).softmax(-1).view({-1, width});
  return at::linear(y, layers[3].weight, layers[3].bias);
}

TaskTable::TaskTable(nn::Parameters& to, const FastTD3Settings& s, const NetworkShape& shape,
                     at::Generator* generator) {
  if (shape.tasks > 1)
    vectors = to.add("tasks", nn::normal({shape.tasks, s.task_embedding_dim}, 1.0, generator));
}

void TaskTable::shorten(const at::Tensor& task) const {
  if (!vectors.defined()) return;
  const at::NoGradGuard no_grad;
  at::Tensor table = vectors;
  at::embedding_renorm_(table, task, 1.0, 2.0);
}

at::Tensor TaskTable::seen() const {
  const at::NoGradGuard no_grad;
  const at::Tensor length = vectors.norm(2, -1, true);
  return at::where(length > 1, vectors / (length + 1e-7), vectors);
}

at::Tensor TaskTable::operator()(const at::Tensor& observation, const at::Tensor& task) const {
  if (!vectors.defined()) return observation;
  const at::Tensor table = at::GradMode::is_enabled() ? vectors : seen();
  return at::cat({observation, at::embedding(table, task)}, -1);
}

bool in_bf16(const FastTD3Settings& settings, at::Device device) {
  return settings.precision == "bf16" || (settings.precision == "auto" && device.is_cuda());
}

Actor::Actor(const FastTD3Settings& s, const NetworkShape& shape, at::TensorOptions options,
             at::Generator* generator)
    : parameters(options),
      tasks(parameters, s, shape, generator),
      bf16(in_bf16(s, options.device())) {
  const std::int64_t in = input_of(s, shape);
  if (s.network == "simbav2") {
    const nn::SphereOptions o = sphere(1, s.actor_width, s.actor_blocks);
    encoder.emplace(parameters, "encoder", o, in, generator);
    head.emplace(parameters, "head", o, shape.action, generator);
  } else {
    mlp.emplace(parameters, "actor",
                MlpOptions{.in = in,
                           .width = s.actor_width,
                           .out = shape.action,
                           .sim_groups = sim_of(s, "actor") ? s.actor_sim_groups : 0,
                           .sim_dimension = s.sim_dimension,
                           .last_deviation = s.init_scale},
                generator);
  }
}

at::Tensor Actor::operator()(const at::Tensor& observation, const at::Tensor& task) const {
  const at::Tensor x = tasks(observation, task);
  const nn::Autocast products(x.device(), bf16);
  return (mlp ? (*mlp)(x) : (*head)((*encoder)(x))).tanh().to(x.scalar_type());
}

Critics::Critics(const FastTD3Settings& s, const NetworkShape& shape, at::TensorOptions options,
                 at::Generator* generator)
    : parameters(options),
      tasks(parameters, s, shape, generator),
      bf16(in_bf16(s, options.device())) {
  const std::int64_t in = input_of(s, shape) + shape.action;
  if (s.network == "simbav2") {
    const nn::SphereOptions o = sphere(2, s.critic_width, s.critic_blocks);
    encoder.emplace(parameters, "encoder", o, in, generator);
    head.emplace(parameters, "head", o, s.num_atoms, generator);
    return;
  }
  for (const char* name : {"critic1", "critic2"})
    mlps.emplace_back(parameters, name,
                      MlpOptions{.in = in,
                                 .width = s.critic_width,
                                 .out = s.num_atoms,
                                 .sim_groups = sim_of(s, "critic") ? s.critic_sim_groups : 0,
                                 .sim_dimension = s.sim_dimension},
                      generator);
}

at::Tensor Critics::operator()(const at::Tensor& observation, const at::Tensor& task,
                               const at::Tensor& action) const {
  const at::Tensor x = tasks(observation, task);
  const nn::Autocast products(x.device(), bf16);
  const at::Tensor logits = encoder ? (*head)((*encoder)(at::cat({x, action}, -1)))
                                    : at::stack({mlps[0](x, action), mlps[1](x, action)});
  return logits.to(x.scalar_type());
}

}  // namespace mneme::fasttd3
