// SPDX-License-Identifier: Apache-2.0

// KymographHealth: the HealthKit-shaped store on top of the engine: types, sources, units and objects of health data.

// A program needs one import: types and units are HealthModel's, ranges of time and buckets the engine's.
@_exported public import HealthModel
@_exported public import Kymograph
