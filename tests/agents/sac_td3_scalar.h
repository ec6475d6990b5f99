// tests/agents/sac_td3_scalar.h - SAC and TD3 once more, with networks of one unit per layer and
// every derivative worked out by hand: plain numbers, no tensor, no autograd.
//
//   actor    h = relu(p0 o + p1),  u = p2 h + p3,  SAC: log s = p4 h + p5
//   critic   h = relu(p0 o + p1 a + p2),  Q = p3 h + p4
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace mneme::testing::scalar {

/// Adam of a list of numbers, as in its paper.
struct Adam {
  std::vector<double> m, v;
  int t = 0;
  void step(std::vector<double>& w, const std::vector<double>& g, double rate) {
    m.resize(w.size());
    v.resize(w.size());
    ++t;
    for (std::size_t k = 0; k < w.size(); ++k) {
      m[k] = 0.9 * m[k] + 0.1 * g[k];
      v[k] = 0.999 * v[k] + 0.001 * g[k] * g[k];
      w[k] -= rate * (m[k] / (1 - std::pow(0.9, t))) /
              (std::sqrt(v[k] / (1 - std::pow(0.999, t))) + 1e-8);
    }
  }
};

inline void follow(std::vector<double>& target, const std::vector<double>& w, double tau) {
  for (std::size_t k = 0; k < w.size(); ++k) target[k] = (1 - tau) * target[k] + tau * w[k];
}

struct Row {
  double observation, action, reward, discount, next, weight, noise, next_noise;
};

struct Critic {
  std::vector<double> p;  // five
  double hidden(double o, double a) const { return std::max(0.0, p[0] * o + p[1] * a + p[2]); }
  double value(double o, double a) const { return p[3] * hidden(o, a) + p[4]; }
  double by_action(double o, double a) const { return hidden(o, a) > 0 ? p[3] * p[1] : 0; }
  // d Q / d p, times `pull`, added.
  void pull(double o, double a, double pull, std::vector<double>& g) const {
    const double h = hidden(o, a), inside = h > 0 ? pull * p[3] : 0;
    g[0] += inside * o;
    g[1] += inside * a;
    g[2] += inside;
    g[3] += pull * h;
    g[4] += pull;
  }
};

struct Actor {
  std::vector<double> p;  // four, or six for SAC
  double hidden(double o) const { return std::max(0.0, p[0] * o + p[1]); }
  double mean(double o) const { return p[2] * hidden(o) + p[3]; }
  double log_std(double o) const { return p[4] * hidden(o) + p[5]; }
  // Gradients of the mean and of log_std.
  void pull(double o, double of_mean, double of_log_std, std::vector<double>& g) const {
    const double h = hidden(o);
    double inside = of_mean * p[2];
    g[2] += of_mean * h;
    g[3] += of_mean;
    if (p.size() == 6) {
      g[4] += of_log_std * h;
      g[5] += of_log_std;
      inside += of_log_std * p[4];
    }
    if (h > 0) {
      g[0] += inside * o;
      g[1] += inside;
    }
  }
};

struct Sample {
  double u, action, log_prob, std;
};

inline Sample sample(const Actor& actor, double o, double noise) {
  const double log_std = actor.log_std(o), std = std::exp(log_std);
  const double u = actor.mean(o) + std * noise, action = std::tanh(u);
  const double log_normal =
      -0.5 * noise * noise - log_std - 0.5 * std::log(2 * 3.14159265358979323846);
  return {u, action, log_normal - std::log(1 - action * action), std};
}

struct Agent {
  Actor actor, target_actor;
  std::array<Critic, 2> critic, target;
  double log_temperature = 0;
  Adam actor_adam, temperature_adam;
  std::array<Adam, 2> critic_adam;
  double rate, tau;
  int updates = 0;

  double critic_loss = 0, actor_loss = 0, entropy = 0;
  std::vector<double> td_error;

  double smaller(const std::array<Critic, 2>& of, double o, double a) const {
    return std::min(of[0].value(o, a), of[1].value(o, a));
  }

  // factor * mean w (Q - y)^2, summed over both.
  void update_critics(const std::vector<Row>& rows, const std::vector<double>& y, double factor) {
    const auto n = static_cast<double>(rows.size());
    critic_loss = 0;
    td_error.assign(rows.size(), 0);
    for (std::size_t m = 0; m < 2; ++m) {
      std::vector<double> g(5);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const Row& r = rows[k];
        const double error = critic[m].value(r.observation, r.action) - y[k];
        critic_loss += factor * r.weight * error * error / n;
        td_error[k] -= error / 2;
        critic[m].pull(r.observation, r.action, 2 * factor * r.weight * error / n, g);
      }
      critic_adam[m].step(critic[m].p, g, rate);
    }
  }

  void update_sac(const std::vector<Row>& rows, double target_entropy) {
    const auto n = static_cast<double>(rows.size());
    const double temperature = std::exp(log_temperature);
    std::vector<Sample> now;
    entropy = 0;
    for (const Row& r : rows) {
      now.push_back(sample(actor, r.observation, r.noise));
      entropy -= now.back().log_prob / n;
    }
    std::vector<double> logarithm{log_temperature};
    temperature_adam.step(logarithm, {entropy - target_entropy}, rate);
    log_temperature = logarithm[0];

    std::vector<double> y;
    for (const Row& r : rows) {
      const Sample next = sample(actor, r.next, r.next_noise);
      y.push_back(r.reward + r.discount * (smaller(target, r.next, next.action) -
                                           temperature * next.log_prob));
    }
    update_critics(rows, y, 0.5);

    actor_loss = 0;
    std::vector<double> g(actor.p.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double o = rows[k].observation, a = now[k].action;
      const Critic& less = critic[0].value(o, a) <= critic[1].value(o, a) ? critic[0] : critic[1];
      actor_loss += (temperature * now[k].log_prob - less.value(o, a)) / n;
      // log pi = ... - log s - log(1 - tanh(u)^2): by u it is 2 tanh(u).
      const double by_u = temperature * 2 * a - less.by_action(o, a) * (1 - a * a);
      const double by_log_std = -temperature + by_u * now[k].std * rows[k].noise;
      actor.pull(o, by_u / n, by_log_std / n, g);
    }
    actor_adam.step(actor.p, g, rate);
    for (std::size_t m = 0; m < 2; ++m) follow(target[m].p, critic[m].p, tau);
  }

  void update_td3(const std::vector<Row>& rows, int delay, double deviation, double bound) {
    const auto n = static_cast<double>(rows.size());
    std::vector<double> y;
    for (const Row& r : rows) {
      const double noise = std::clamp(deviation * r.next_noise, -bound, bound);
      const double next = std::clamp(std::tanh(target_actor.mean(r.next)) + noise, -1.0, 1.0);
      y.push_back(r.reward + r.discount * smaller(target, r.next, next));
    }
    update_critics(rows, y, 1);
    if (++updates % delay != 0) return;
    actor_loss = 0;
    std::vector<double> g(actor.p.size());
    for (const Row& r : rows) {
      const double o = r.observation, a = std::tanh(actor.mean(o));
      actor_loss -= critic[0].value(o, a) / n;
      actor.pull(o, -critic[0].by_action(o, a) * (1 - a * a) / n, 0, g);
    }
    actor_adam.step(actor.p, g, rate);
    follow(target_actor.p, actor.p, tau);
    for (std::size_t m = 0; m < 2; ++m) follow(target[m].p, critic[m].p, tau);
  }
};

}  // namespace mneme::testing::scalar
