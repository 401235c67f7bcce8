// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Lets either one load into a store, or any number of saves.
///
/// A load numbers its sources, devices and metadata when it begins and writes them when it ends; nobody else may give
/// these numbers meanwhile. Saves give them inside their commit, and may run beside each other.
final class SaveGate: Sendable {
    private let queue = DispatchQueue(label: "kymograph.health.saves", attributes: .concurrent)

    /// Runs a load, when all saves have ended.
    func load<R>(_ body: () throws -> R) rethrows -> R { try queue.sync(flags: .barrier, execute: body) }

    /// Runs a save, when no load runs.
    func save<R>(_ body: () throws -> R) rethrows -> R { try queue.sync(execute: body) }
}
