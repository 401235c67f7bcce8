// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Kymograph

/// Lets either one load into a store, or any number of saves.
///
/// A load numbers its sources, devices and metadata when it begins and writes them when it ends; nobody else may give
/// these numbers meanwhile. Saves give them inside their commit, and may run beside each other.
final class SaveGate: Sendable {
    private let queue = DispatchQueue(label: "kymograph.health.saves", attributes: .concurrent)

    /// The thread that loads.
    private let owner = ThreadOwner()

    /// Runs a load, when all saves have ended.
    ///
    /// - Throws: what `body` throws; `invalidArgument` in a closure of a load, which this one would wait for.
    func load<R>(_ body: () throws -> R) throws -> R {
        try refuseInside()
        return try queue.sync(flags: .barrier) { try owner.own(body) }
    }

    /// Runs a save, when no load runs.
    ///
    /// - Throws: as `load`.
    func save<R>(_ body: () throws -> R) throws -> R {
        try refuseInside()
        return try queue.sync(execute: body)
    }

    private func refuseInside() throws(HealthStoreError) {
        guard owner.isMine else { return }
        throw HealthStoreError(
            .invalidArgument,
            "a closure of an import cannot save or import into the same store, because the call would wait for the "
                + "import; call save after the import has returned")
    }
}
