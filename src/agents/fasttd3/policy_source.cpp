// agents/fasttd3/policy_source.cpp - the deterministic policy as TorchScript.
#include "agents/fasttd3/policy_source.h"

namespace mneme::fasttd3 {
namespace {

std::string mlp_source(const Mlp& mlp) {
  const auto layer = [](int k) {
    return concat("torch.linear(x, self.actor_layer", k, "_weight, self.actor_layer", k, "_bias)");
  };
  std::string text = concat("    x = torch.relu(", layer(0), ")\n    x = torch.relu(", layer(1),
                            ")\n    x = ", layer(2), "\n");
  if (mlp.options.sim_groups > 0) {
    const std::int64_t width = mlp.options.sim_groups * mlp.options.sim_dimension;
    text += concat("    x = torch.layer_norm(x, [", width,
                   "], self.actor_norm_weight, self.actor_norm_bias, 1e-5)\n",
                   "    x = torch.softmax(x.view([-1, ", mlp.options.sim_groups, ", ",
                   mlp.options.sim_dimension, "]), -1).view([-1, ", width, "])\n");
  } else {
    text += "    x = torch.relu(x)\n";
  }
  return text + concat("    return torch.tanh(", layer(3), ")\n");
}

std::string sphere_source(const Actor& actor) {
  const nn::Embedder& embedder = actor.encoder->embedder;
  std::string text =
      concat("    shift = x.new_full([x.size(0), 1], ", shortest_number(embedder.options.shift),
             ")\n    x = self.l2(torch.cat([x, shift], -1))\n",
             "    x = self.l2(torch.linear(x, self.encoder_embedder_dense) * ",
             "(self.encoder_embedder_scaler * ", shortest_number(embedder.scaler.gain), "))\n");
  for (std::size_t k = 0; k < actor.encoder->blocks.size(); ++k) {
    const nn::LerpBlock& block = actor.encoder->blocks[k];
    const std::string name = concat("self.encoder_block", k, "_");
    text += concat("    y = torch.linear(x, ", name, "first) * (", name, "scaler * ",
                   shortest_number(block.scaler.gain), ")\n",
                   "    y = self.l2(torch.linear(torch.relu(y) + 1e-8, ", name, "second))\n",
                   "    x = self.l2(x + ", name, "alpha * ", shortest_number(block.alpha.gain),
                   " * (y - x))\n");
  }
  return text +
         "    x = torch.linear(x, self.head_first) * self.head_scaler\n"
         "    return torch.tanh(torch.linear(x, self.head_second) + self.head_bias)\n";
}

}  // namespace

std::string policy_source(const Actor& actor) {
  const bool several = actor.tasks.vectors.defined();
  std::string text;
  if (actor.encoder) text += "def l2(self, x):\n    return x / (x.norm(2, [-1], True) + 1e-8)\n\n";
  text += concat("def forward(self, observation", several ? ", task" : "",
                 "):\n    x = ((observation.double() - self.mean_seen) * self.factor).float()\n");
  if (several) text += "    x = torch.cat([x, torch.embedding(self.tasks, task)], -1)\n";
  return text + (actor.mlp ? mlp_source(*actor.mlp) : sphere_source(actor));
}

}  // namespace mneme::fasttd3
