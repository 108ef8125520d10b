// The tensors of a model while a sample is made of it: dense whatever the file held, with recipes once the graph is
// known, and drawn again in place, so that the model itself computes with what the sample will hold.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "graphnet/frontend/roles.h"
#include "graphnet/frontend/torchscript.h"
#include "graphnet/graph/graph.h"
#include "graphnet/runtime/recorder.h"
#include "graphnet/runtime/tiled_memory.h"

namespace graphnet {

class WeightSet {
 public:
  // Makes stride-0 tensors of the model dense, with the one value that they have: in memory or, with `repeat`, from
  // tiles. Throws Error(kEnvironment) for a device without tiles.
  WeightSet(TorchScriptModel& model, c10::Device device, bool repeat, std::uint64_t seed);

  // Some weights came without values: their recipes follow from their roles.
  bool any_without_values() const { return any_without_values_; }
  // Weights without values repeat one tile of memory each.
  bool tiled() const { return tiled_; }

  // Gives each weight of the recorded graph its recipe. With `keep_values`, weights with values keep theirs: their
  // recipes are those of a stored tensor (without the hash), and they are not drawn again.
  void choose_recipes(Recording& recording, bool keep_values);

  // The tensors of the graph's weights, by index.
  std::vector<at::Tensor> tensors(const Recording& recording) const;

  // Draws all weights, or one, from their recipes. What holds exactly that already is left alone.
  void draw(const Recording& recording);
  void draw(const Recording& recording, std::size_t weight);

  // Puts the weights that the graph writes to back to what they were before a run.
  void restore(const Recording& recording);

  // By the graph's weights: whether a recipe may be rescaled.
  std::vector<bool> may_change(const Recording& recording) const;

 private:
  struct Entry {
    bool without_values = false;
    bool kept = false;    // holds its own values, which are not drawn
    at::Tensor original;  // a copy of a buffer as it was loaded, where forward may write to it
  };
  void choose_recipe(Weight& weight, std::size_t source, const WeightUse& use, bool keep_values);
  void restore_or_draw(const Recording& recording, std::size_t weight);

  TorchScriptModel& model_;
  std::uint64_t seed_;
  bool any_without_values_ = false;
  bool tiled_ = false;
  TiledMemory tiles_;
  std::vector<Entry> entries_;  // by the model's tensors
};

}  // namespace graphnet
