// agents/fasttd3/loss.h - targets and losses of the critics and the actor.
#pragma once

#include "agents/nn/heads/categorical.h"

namespace mneme::fasttd3 {

/// Two critics' distributions after one step, projected onto the atoms.
struct Targets {
  at::Tensor wanted;  ///< (1, batch, atoms) if both critics learn the same, else (2, batch, atoms)
  at::Tensor values;  ///< (2, batch): expected values of each critic's own
  at::Tensor value;   ///< (batch): of what is learned, the mean of both if they differ
};

/// Of the target critics' logits (2, batch, atoms). Clipped: each row's whole distribution of the
/// critic with the smaller value, the second's if they are equal.
Targets targets_of(const nn::Support& support, const at::Tensor& logits, const at::Tensor& reward,
                   const at::Tensor& discount, bool clipped);

struct CriticLoss {
  at::Tensor rows;   ///< (batch): cross-entropies, summed over the critics
  at::Tensor value;  ///< (batch), without gradient: predicted, the mean of both
};

CriticLoss critic_loss(const nn::Support& support, const at::Tensor& logits,
                       const at::Tensor& wanted);

/// (batch): the value that the actor maximizes; the smaller one of clipped critics, else the mean.
at::Tensor policy_value(const nn::Support& support, const at::Tensor& logits, bool clipped);

}  // namespace mneme::fasttd3
