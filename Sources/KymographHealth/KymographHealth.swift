// SPDX-License-Identifier: Apache-2.0

// KymographHealth: the HealthKit-compatible store on top of the engine: types, sources, units and objects of health
// data.

// One import is sufficient: HealthModel exports types and units, the engine exports time ranges and buckets.
@_exported public import HealthModel
@_exported public import Kymograph
