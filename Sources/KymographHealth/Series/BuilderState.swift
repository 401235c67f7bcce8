// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Synchronization

/// The data that a builder collects.
protocol BuilderContent: Sendable {
    init()
}

/// The data and the phase of a builder, for use by several threads.
final class BuilderState<Content: BuilderContent>: Sendable {
    private enum Phase {
        /// The builder accepts data.
        case open
        /// The series is being saved.
        case finishing
        /// The sample is saved.
        case finished
        /// The data is discarded.
        case discarded
    }

    /// The type of the builder, for errors.
    private let builder: Any.Type
    private let state = Mutex((phase: Phase.open, content: Content()))

    init(of builder: Any.Type) { self.builder = builder }

    /// Whether the builder accepts data.
    var isOpen: Bool { state.withLock { $0.phase == .open } }

    /// The data so far.
    var content: Content { state.withLock { $0.content } }

    /// Changes the data; throws unless the builder is open.
    func change(_ body: (inout Content) throws(HKError) -> Void) throws(HKError) {
        try state.withLock { state throws(HKError) in
            try requireOpen(state.phase)
            try body(&state.content)
        }
    }

    /// Saves the data and discards it; keeps it if the save fails. Throws unless the builder is open.
    func finish<Sample>(_ save: (Content) throws(HKError) -> Sample) throws(HKError) -> Sample {
        let content = try state.withLock { state throws(HKError) in
            try requireOpen(state.phase)
            state.phase = .finishing
            return state.content
        }
        do throws(HKError) {
            let sample = try save(content)
            state.withLock { $0 = (.finished, Content()) }
            return sample
        } catch {
            // The builder may have been discarded meanwhile.
            state.withLock { state in if state.phase == .finishing { state.phase = .open } }
            throw error
        }
    }

    /// Discards the data; also during a save, which may have to be repeated.
    ///
    /// - Returns: false if the data is saved or discarded already.
    @discardableResult
    func discard() -> Bool {
        state.withLock { state in
            guard state.phase == .open || state.phase == .finishing else { return false }
            state = (.discarded, Content())
            return true
        }
    }

    /// Throws unless the builder is open. After `discard`, HealthKit raises an exception.
    private func requireOpen(_ phase: Phase) throws(HKError) {
        let what: String
        switch phase {
        case .open: return
        case .finishing: what = "the series is being finished"
        case .finished: what = "the series is finished"
        case .discarded: what = "the builder was discarded"
        }
        throw HKError(.errorInvalidArgument, reason: what, place: "\(builder)", advice: "create a new builder")
    }
}
