// SPDX-License-Identifier: Apache-2.0

package import FileSystem
import Synchronization

/// A disk that loses data, tears writes, fills up and fails, on demand and repeatably.
///
/// While it runs it behaves like a `MemoryDisk`. Beside that it keeps a model of what is durable: a write is until
/// `sync` of its file, a name until `syncDirectory` of its directory. `crash` shows what could be found after a power
/// cut now. Faults make the calls of choice fail. `Docs/Internals/FileSystem.md` has the model.
package final class FaultyDisk: Disk {
    struct State {
        var model = FaultyModel()
        var calls: [DiskCall] = []
        var callCount = 0
        var mutationCount = 0
        var faults: [DiskFault] = []
        var stopAfter = Int.max
        var capacity: UInt64?
        var random = SeededGenerator(seed: 0x5EED)
        var keepsTrace = true
        var keepsWays = false
        var observer: (@Sendable (DiskCallKind, String) -> Void)?
    }

    let live: MemoryDisk
    let state = Mutex(State())

    /// Creates a disk on which everything in `image` is durable. The disk takes ownership of the image.
    package init(_ image: MemoryDisk = MemoryDisk()) throws {
        live = image
        let directories = image.directories
        let sizes = image.files.mapValues { UInt64($0.count) }
        var handles: [String: any DiskFile] = [:]
        for path in sizes.keys { handles[path] = try image.open(path, writable: false) }
        state.withLock { state in
            for path in directories {
                let number = state.model.newNumber()
                state.model.directories[number] = FaultyModel.Directory()
                state.model.link(path, number)
            }
            for (path, handle) in handles.sorted(by: { $0.key < $1.key }) {
                let number = state.model.newNumber()
                let size = sizes[path] ?? 0
                state.model.files[number] = FaultyModel.File(handle: handle, liveSize: size, durableSize: size)
                state.model.link(path, number)
            }
            for path in directories + [""] { state.model.syncNames(of: path) }
        }
    }

    // MARK: Faults

    /// Adds a failure; its counting starts now.
    package func inject(_ fault: DiskFault) {
        state.withLock { $0.faults.append(fault) }
    }

    /// Removes all faults.
    package func clearFaults() {
        state.withLock { $0.faults = [] }
    }

    /// Executes this many more changing calls; every later call of any kind fails without effect, as if the machine had
    /// stopped. `crash` then returns the disk as it was left.
    package func stop(afterMutations count: Int) {
        state.withLock { $0.stopAfter = $0.mutationCount + max(count, 0) }
    }

    /// Sets the capacity of all files together in bytes; nil for no limit. A write that exceeds it is done in part.
    package func setCapacity(_ bytes: UInt64?) {
        state.withLock { $0.capacity = bytes }
    }

    /// Sets a callback that runs before every changing call, on its thread. The callback may call `crash` and no other
    /// function of this disk.
    package func observe(_ observer: (@Sendable (DiskCallKind, String) -> Void)?) {
        state.withLock { $0.observer = observer }
    }

    // MARK: Inspection

    /// The number of calls so far, including failed ones.
    package var callCount: Int { state.withLock { $0.callCount } }

    /// The number of changing calls attempted before the disk stopped.
    package var mutationCount: Int { state.withLock { $0.mutationCount } }

    /// Every call so far, in order.
    package var trace: [DiskCall] { state.withLock { $0.calls } }

    /// Clears the trace and sets whether later calls are recorded.
    package func resetTrace(keep: Bool = true) {
        state.withLock { state in
            state.calls = []
            state.keepsTrace = keep
        }
    }

    /// Records the way to each later call in the trace.
    package func keepWays() { state.withLock { $0.keepsWays = true } }

    /// The total size of all files that have a name.
    package var usedBytes: UInt64 { state.withLock { $0.usedBytes } }

    /// Returns the disk as it would be found after a crash now. Changes nothing, so that a test can try many seeds.
    package func crash(seed: UInt64, _ model: CrashModel = .any) throws(DiskError) -> MemoryDisk {
        let image = try state.withLock { (state) throws(DiskError) in
            try state.model.crash(seed: seed, model: model)
        }
        LeakWatch.inspect(image.files)
        return image
    }

    // MARK: Processing of a call

    func announce(_ kind: DiskCallKind, _ path: String) {
        guard kind.isMutation, let observer = state.withLock({ $0.observer }) else { return }
        observer(kind, path)
    }

    /// Counts a call and returns the fault that applies to it, or nil. Throws if the call must fail without effect.
    func enter(
        _ state: inout State, _ kind: DiskCallKind, _ path: String, _ range: Range<UInt64> = 0..<0
    ) throws(DiskError) -> DiskFault? {
        let isStopped = state.mutationCount >= state.stopAfter
        state.callCount += 1
        if kind.isMutation, !isStopped { state.mutationCount += 1 }
        var striking: DiskFault?
        for index in state.faults.indices where state.faults[index].strikes(kind, path) {
            striking = striking ?? state.faults[index]
        }
        if striking != nil { CallSites.note(.failed) }
        let errno = isStopped ? DiskError.inputOutput : striking?.errno ?? 0
        if state.keepsTrace {
            let number = state.callCount
            let way = state.keepsWays ? CallSites.way() : 0
            state.calls.append(DiskCall(number: number, kind: kind, path: path, range: range, errno: errno, way: way))
        }
        if isStopped { throw DiskError(kind.rawValue, path, errno, "the disk has stopped") }
        return striking
    }

    /// Runs a call that is done wholly or not at all.
    func whole<R>(
        _ kind: DiskCallKind, _ path: String, _ body: (inout State) throws(DiskError) -> R
    ) throws(DiskError) -> R {
        announce(kind, path)
        return try state.withLock { (state) throws(DiskError) in
            let fault = try enter(&state, kind, path)
            if let fault, fault.effect == .nothing { throw Self.error(fault, kind, path) }
            let result = try body(&state)
            if let fault { throw Self.error(fault, kind, path) }
            return result
        }
    }

    static func error(_ fault: DiskFault, _ kind: DiskCallKind, _ path: String) -> DiskError {
        DiskError(kind.rawValue, path, fault.errno, "injected")
    }
}

extension FaultyDisk.State {
    /// The total size of all files that have a name.
    var usedBytes: UInt64 {
        model.files.values.reduce(0) { $1.names > 0 ? $0 + $1.liveSize : $0 }
    }
}
