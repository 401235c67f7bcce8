// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport

extension Tour {
    /// Changes the keys of an encrypted store, verifies it without them, exports them and puts them back.
    func changeKeys() throws {
        let (path, options) = (SimulatedStore.path, simulated.options)
        try simulated.open()
        guard let keys = try simulated.opened().keys else { return }
        for number in 0..<3 { try simulated.opened().changeKeys(number) }
        // The first slot opens the store later.
        if keys.slots.count > 1, let label = keys.slots.last?.label { try keys.replace(label, with: .random()) }
        let report = try TimeSeriesStore.verifyWithoutKey(at: path, options: options)
        // A disk with a fault may report unreadable files.
        if !isFaulty, let problem = report.problems.first {
            throw CampaignError("without a key, verify reports \(problem.path): \(problem.message)")
        }
        let file = "/exported \(attempt)"
        try TimeSeriesStore.exportKeys(of: path, to: file, options: options)
        simulated.close()
        try TimeSeriesStore.restoreKeys(of: path, from: file, options: options)
        try simulated.open()
    }

    /// Copies the store into an encrypted one with other keys, gives that one new keys in its place, and copies it into
    /// a plain one.
    func copies() throws {
        simulated.close()
        var options = simulated.options
        let key = KeyOnce(try .random())
        let (encrypted, plain) = ("/encrypted \(attempt)", "/plain \(attempt)")
        try TimeSeriesStore.encrypt(from: SimulatedStore.path, to: encrypted, key: key, options: options)
        options.key = key
        try TimeSeriesStore.encrypt(
            at: encrypted, keepingFormerAt: "/former \(attempt)", key: key, options: options)
        try backup(encrypted, options)
        try TimeSeriesStore.decrypt(from: encrypted, to: plain, options: options)
        let copy = try TimeSeriesStore.open(at: plain, mode: .readOnly, options: simulated.options)
        defer { copy.close() }
        if try SimulatedStore.digest(of: copy) != start.digest { throw CampaignError("a copy has other content") }
        try simulated.open()
    }

    /// Backs up an encrypted store without its keys, and restores it with exported ones.
    private func backup(_ path: String, _ options: StoreOptions) throws {
        let (place, keys, restored) = ("/keyless \(attempt)", "/its keys \(attempt)", "/opened \(attempt)")
        try TimeSeriesStore.exportKeys(of: path, to: keys, options: options)
        let store = try TimeSeriesStore.open(at: path, mode: .readOnly, options: options)
        defer { store.close() }
        try store.backup(to: place, includesKeys: false)
        let report = try TimeSeriesStore.verifyBackup(at: place, keys: keys, options: options)
        if !isFaulty, let problem = report.problems.first {
            throw CampaignError("a backup without keys is damaged: \(problem.path): \(problem.message)")
        }
        try TimeSeriesStore.restore(from: place, to: restored, keys: keys, options: options)
        let copy = try TimeSeriesStore.open(at: restored, mode: .readOnly, options: options)
        defer { copy.close() }
        if try SimulatedStore.digest(of: copy) != start.digest {
            throw CampaignError("a store restored without the backup's keys has other content")
        }
    }
}
