// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Kymograph

/// A lock that admits either one load or any number of saves.
///
/// A load assigns numbers of sources, devices and metadata when it starts, and writes them when it ends; no other
/// writer may assign these numbers in between. Saves assign them inside their commit, and may run concurrently.
final class SaveGate: Sendable {
    private let queue = DispatchQueue(label: "kymograph.health.saves", attributes: .concurrent)

    /// The thread of the running load.
    private let owner = ThreadOwner()

    /// Runs a load, after all running saves have ended.
    ///
    /// - Throws: the errors of `body`; `invalidArgument` if called inside a load, which would deadlock.
    func load<R>(_ body: () throws -> R) throws -> R {
        try refuseInside()
        return try queue.sync(flags: .barrier) { try owner.own(body) }
    }

    /// Runs a save, while no load runs.
    ///
    /// - Throws: the errors of `load`.
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
