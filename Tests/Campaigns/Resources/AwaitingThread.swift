// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Runs tasks on the thread that waits for them.
///
/// Campaigns block threads. A task on Swift's own pool could wait for threads that wait for the task.
final class AwaitingThread: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isDone = false
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        news.signal()
    }

    /// Returns the result of a body that runs on this thread.
    func result<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let answer = Answer<R>()
        Task(executorPreference: self) {
            do {
                let result = try await body()
                answer.result.withLock { $0 = .success(result) }
            } catch {
                answer.result.withLock { $0 = .failure(error) }
            }
            self.state.withLock { $0.isDone = true }
            self.news.signal()
        }
        while true {
            news.wait()
            let (job, isDone) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isDone)
            }
            if let job {
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            } else if isDone {
                break
            }
        }
        guard let result = answer.result.withLock({ $0 }) else { throw CampaignError("the body returned no result") }
        return try result.get()
    }

    private final class Answer<R: Sendable>: Sendable {
        let result = Mutex<Result<R, any Error>?>(nil)
    }
}
