// SPDX-License-Identifier: Apache-2.0

// HealthKit on Linux: programs that say `import HealthKit` compile unchanged. Docs/Guide/HealthKitImport.md shows a
// package that uses Apple's framework on Apple's systems and this module on Linux.

// Apple's framework exports Foundation and the types of its interface; so does this module.
@_exported public import CoreLocation
@_exported public import Foundation
@_exported public import HealthModel
@_exported public import KymographHealth
