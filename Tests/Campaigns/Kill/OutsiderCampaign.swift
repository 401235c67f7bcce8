// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import Synchronization
import TestSupport

/// Kills a process that saves, while other programs open its catalog with their own SQLite: in separate processes,
/// which are killed too, in the writer's process, and alone after a kill, before the engine reads the log.
package enum OutsiderCampaign: Campaign {
    package static let name = "outsiders"
    package static let summary = "another SQLite reads, checks, copies and closes the catalog during and between kills"

    /// The number of kills before a new store is created.
    private static let killsOfAStore = 25

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let stores = (plan.cases + killsOfAStore - 1) / killsOfAStore
        let found = plan.sideBySide(stores, until: clock) { index, _, mine in
            let path = "\(plan.work)/store-\(index)"
            let life = KilledLife(
                path, seed: plan.seed &+ UInt64(index), program: plan.program, readers: 1, outsiders: 1)
            do {
                try life.run(kills: min(plan.cases - index * killsOfAStore, killsOfAStore), clock, &mine)
            } catch {
                mine.fail("\(life.note): \(error)")
            }
            LeakWatch.removeTree(path)
        }
        result.merge(found)
        result.seconds = clock.elapsed
        return result
    }
}

/// The operations of another program on a catalog: statements that change no row.
struct Outsider {
    private let path: String
    private var random: SeededGenerator

    init(_ path: String, seed: UInt64) {
        self.path = path + "/kymograph.sqlite"
        random = SeededGenerator(seed: seed)
    }

    private static let statements = [
        "SELECT count(*) FROM series", "SELECT count(*), sum(length(body)) FROM tail", "PRAGMA integrity_check",
        "PRAGMA quick_check", "PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(FULL)",
        "PRAGMA wal_checkpoint(RESTART)", "PRAGMA wal_checkpoint(TRUNCATE)", "BEGIN IMMEDIATE; COMMIT",
        "BEGIN; SELECT count(*) FROM segment; SELECT count(*) FROM run; COMMIT", "VACUUM INTO ':memory:'",
        "PRAGMA journal_mode=DELETE", "PRAGMA journal_mode=WAL", "PRAGMA journal_mode=TRUNCATE",
    ]

    /// Opens the catalog, runs a few statements and closes it.
    /// - Returns: the number of statements; nil without a catalog.
    /// - Throws: errors other than a conflict with another connection.
    mutating func visit() throws -> Int? {
        guard let other = try? OtherSQLite(path) else { return nil }
        var done = 0
        for _ in 0..<1 + random.below(4) {
            let sql = random.pick(Self.statements)
            do {
                let answer = try other.run(sql)
                if sql.hasSuffix("_check"), answer != "ok" { throw CampaignError("\(sql) returned \(answer)") }
                done += 1
            } catch let error as OtherSQLite.Failure {
                // An unfinished catalog has no tables, or is not a database yet. The log of an encrypted one cannot be
                // opened.
                let isRefused = error.code == 26 || TestKey.isUsed && error.code == 14
                // The first statement of a transaction has begun it, although the next one failed.
                if isRefused { _ = try? other.run("ROLLBACK") }
                if error.isBusy || isRefused || error.message.contains("no such table") { continue }
                throw CampaignError("\(sql): \(error)")
            }
        }
        return done
    }

    /// Visits the catalog until the parent closes the pipe.
    mutating func run(_ say: (String) -> Bool) throws {
        while say("visited \(try visit() ?? 0)") { usleep(useconds_t(random.below(4_000))) }
    }
}
