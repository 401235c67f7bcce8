// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

/// The files of a store at one moment.
struct StoreImage {
    var files: [String: [UInt8]] = [:]

    init(_ path: String) throws {
        let disk = RealDisk()
        for name in try disk.list(path) where name != "segments" && name != "kymograph.sqlite" + TestKey.indexSuffix {
            files[name] = try disk.contents(of: path + "/" + name, limit: 1 << 24)
        }
        for name in try disk.list(path + "/segments") {
            files["segments/" + name] = try disk.contents(of: path + "/segments/" + name, limit: 1 << 24)
        }
        log = LogFrames.trimmed(log)
    }

    /// Writes the files into an existing directory and removes all others.
    func lay(_ path: String) throws {
        let manager = FileManager.default
        for name in try RealDisk().list(path) where name != "segments" && files[name] == nil {
            try manager.removeItem(atPath: path + "/" + name)
        }
        for (name, bytes) in files {
            let url = URL(fileURLWithPath: path + "/" + name)
            if name.hasPrefix("segments/"), manager.fileExists(atPath: url.path) { continue }
            try Data(bytes).write(to: url)
        }
    }

    static let catalog = "kymograph.sqlite", log = "kymograph.sqlite-wal", witness = "WITNESS"

    var catalog: [UInt8] {
        get { files[Self.catalog] ?? [] }
        set { files[Self.catalog] = newValue }
    }
    /// The write-ahead log; empty if missing.
    var log: [UInt8] {
        get { files[Self.log] ?? [] }
        set { files[Self.log] = newValue.isEmpty ? nil : newValue }
    }
    var witness: [UInt8] {
        get { files[Self.witness] ?? [] }
        set { files[Self.witness] = newValue }
    }

    /// Replaces catalog and witness by those of an earlier image, and removes the log.
    mutating func putBack(_ earlier: StoreImage) {
        catalog = earlier.catalog
        witness = earlier.witness
        log = []
    }

    func flipped(_ name: String, _ at: Int, _ mask: UInt8) -> StoreImage {
        var image = self
        image.files[name]?[at] ^= mask
        return image
    }
}

/// The results of opening damaged stores.
struct Tally: CustomStringConvertible {
    var harmless = 0
    var errors: [StoreError.Kind: Int] = [:]
    var description: String {
        "\(harmless) harmless, " + errors.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", ")
    }
    var detected: Int { errors.values.reduce(0, +) }
}

/// A store with a segment and commits in its log, a copy as a killed writer would leave it, and a place to open damaged
/// copies.
final class HotStore {
    let test: TestStore
    let place: TemporaryDirectory
    let image: StoreImage
    let answer: [[Sample]]

    /// Copies the current state of a store.
    init(_ present: TestStore) throws {
        test = present
        answer = try Self.ask(test.store)
        image = try StoreImage(test.path)
        place = try TemporaryDirectory()
        try RealDisk().createDirectory(place.file("store"))
        try RealDisk().createDirectory(place.file("store/segments"))
    }

    /// - Parameter log: the number of commits that are only in the log.
    convenience init(log: Int = 4) throws {
        let test = try TestStore { $0.threads = 1 }
        let a = try test.store.series("a", kind: .discrete).id
        let b = try test.store.series("b", kind: .cumulative).id
        try test.store.load((0..<50).map { Sample(start: Int64($0) * second, value: Double($0)) }, to: a)
        for i in 0..<4 { try test.store.append(to: b, [Sample(start: Int64(i), end: Int64(i) + 5, value: 3)]) }
        try test.reopen()
        for i in 0..<log {
            try test.store.append(to: i % 2 == 0 ? a : b, [Sample(start: Int64(i) * day, value: Double(i) + 0.5)])
        }
        try self.init(test)
    }

    var path: String { place.file("store") }

    static func ask(_ store: TimeSeriesStore) throws(StoreError) -> [[Sample]] {
        let snapshot = store.snapshot()
        var answer = [[Sample]]()
        for series in snapshot.series { answer.append(try snapshot.all(series.id)) }
        return answer
    }

    /// Opens a damaged copy and expects the right answer or an error of a suitable kind. Records an issue for a wrong
    /// or shorter answer.
    func judge(
        _ damaged: StoreImage, _ mode: OpenMode, _ tally: inout Tally, _ note: @autoclosure () -> String,
        location: SourceLocation = #_sourceLocation
    ) throws {
        try damaged.lay(path)
        do throws(StoreError) {
            let store = try TimeSeriesStore.open(at: path, mode: mode, options: test.options)
            defer { store.close() }
            let found = try Self.ask(store)
            if found != answer {
                Issue.record("a wrong answer from \(note()), opened \(mode)", sourceLocation: location)
            }
            tally.harmless += 1
        } catch {
            let isReported = [.corrupt, .rolledBack, .newerFormat].contains(error.kind)
            #expect(isReported, "\(note()), opened \(mode): \(error)", sourceLocation: location)
            tally.errors[error.kind, default: 0] += 1
        }
    }
}

@Suite("E-1 E-16 loss of an acknowledged commit is always detected")
struct WitnessTests {
    /// The size of one statement.
    private static let size = TestKey.isUsed ? WitnessCodec.mostSize : WitnessCodec.plainSize

    @Test(
        "A flipped bit in the log of a killed writer gives all samples or an error",
        arguments: [OpenMode.readOnly, .readWrite])
    func log(mode: OpenMode) throws {
        let hot = try HotStore()
        var tally = Tally()
        try hot.judge(hot.image, mode, &tally, "an intact store")
        #expect(tally.harmless == 1)
        for at in 0..<hot.image.log.count where Self.isWorthIt(at) {
            for mask in [1 << UInt8(at % 8), 0xFF] as [UInt8] {
                try hot.judge(hot.image.flipped(StoreImage.log, at, mask), mode, &tally, "byte \(at)")
            }
        }
        Self.say("log, \(mode) first", tally)
        // The only undetected change is in an unused part of the log: the number of checkpoints in its header.
        #expect(tally.harmless <= 33, "\(tally)")
        #expect(tally.errors[.rolledBack, default: 0] > 0, "\(tally)")
    }

    /// The environment variable KYMO_EVERY_BYTE makes the tests try every byte, which takes minutes, and print the
    /// counts.
    private static let everyByte = ProcessInfo.processInfo.environment["KYMO_EVERY_BYTE"] != nil

    private static func say(_ what: String, _ tally: Tally) {
        if everyByte { print("flips in the \(what): \(tally)") }
    }

    /// True for all bytes of headers, and for the trailer and some bytes of each page.
    private static func isWorthIt(_ at: Int) -> Bool {
        if everyByte { return true }
        let place = (at - 32) % 4120
        return at < 32 || place < 24 || place >= 4080 || place % 131 == 0
    }

    @Test(
        "A flipped bit in the database gives all samples or an error, with and without a log",
        arguments: [OpenMode.readOnly, .readWrite], [true, false])
    func database(mode: OpenMode, isHot: Bool) throws {
        let hot = try HotStore(log: isHot ? 3 : 0)
        var tally = Tally()
        for at in 0..<hot.image.catalog.count {
            let place = at % 4096
            guard Self.everyByte || at < 100 || place >= 4056 || place % 157 == 3 else { continue }
            for mask in [1 << UInt8(at % 8), 0xFF] as [UInt8] {
                try hot.judge(hot.image.flipped(StoreImage.catalog, at, mask), mode, &tally, "byte \(at)")
            }
        }
        Self.say("database, \(isHot ? "hot" : "closed"), \(mode) first", tally)
        #expect(tally.detected > tally.harmless, "\(tally)")
        for page in 0..<hot.image.catalog.count / 4096 {
            for more in [0, 2_048] {
                var image = hot.image
                image.catalog = Array(image.catalog.prefix(page * 4096 + more))
                try hot.judge(image, mode, &tally, "cut in page \(page)")
            }
        }
    }

    @Test("A flipped bit in WITNESS is tolerated, and the witness still detects a loss")
    func witness() throws {
        let hot = try HotStore()
        #expect(hot.image.witness.count == Self.size * Witness.copies)
        var shorter = hot.image
        shorter.log = Array(hot.image.log.prefix(32 + 4120))
        var tally = Tally()
        for at in hot.image.witness.indices {
            for mask in [1 << UInt8(at % 8), 0xFF] as [UInt8] {
                for mode in [OpenMode.readOnly, .readWrite] {
                    var loss = Tally()
                    try hot.judge(hot.image.flipped(StoreImage.witness, at, mask), mode, &tally, "byte \(at)")
                    try hot.judge(shorter.flipped(StoreImage.witness, at, mask), mode, &loss, "byte \(at), shorter")
                    #expect(loss.errors == [.rolledBack: 1])
                }
            }
        }
        #expect(tally.detected == 0, "\(tally)")
    }

    @Test("An old, torn, missing or foreign witness causes no false alarm, and verify reports it")
    func powerCut() throws {
        let hot = try HotStore()
        let other = try HotStore(log: 1)
        let now = hot.image.witness
        let once = Array(now.prefix(Self.size))
        var cases: [(String, [UInt8], Bool)] = [
            ("another store's", other.image.witness, false), ("empty", [], true),
            ("zeros", [UInt8](repeating: 0, count: now.count), true), ("long", now + [0], false),
            (TestKey.isUsed ? "torn in the middle" : "of the first version", once, true),
        ]
        // Files that a power cut can leave are remarks.
        for count in 1..<now.count { cases.append(("torn after \(count)", Array(now.prefix(count)), true)) }
        var tally = Tally()
        for (note, bytes, isSound) in cases {
            var image = hot.image
            image.witness = bytes
            try hot.judge(image, .readOnly, &tally, note)
            let reader = try TimeSeriesStore.open(at: hot.path, mode: .readOnly)
            #expect(try reader.verify().problems.isEmpty == isSound, "\(note)")
            reader.close()
            try hot.judge(image, .readWrite, &tally, note)
        }
        var image = hot.image
        image.files[StoreImage.witness] = nil
        try hot.judge(image, .readOnly, &tally, "missing")
        try hot.judge(image, .readWrite, &tally, "missing")
        #expect(tally.detected == 0, "\(tally)")
    }

    @Test("The content of LOCK has no effect")
    func lock() throws {
        let hot = try HotStore()
        var tally = Tally()
        for byte in 0...UInt8.max {
            var image = hot.image
            image.files["LOCK"] = [byte, byte ^ 0x55]
            try hot.judge(image, byte % 2 == 0 ? .readOnly : .readWrite, &tally, "LOCK \(byte)")
        }
        #expect(tally.detected == 0, "\(tally)")
    }
}

extension WitnessTests {
    @Test("A truncated, removed or older log is detected", arguments: [OpenMode.readOnly, .readWrite])
    func olderLog(mode: OpenMode) throws {
        let hot = try HotStore()
        var tally = Tally()
        let frames = (hot.image.log.count - 32) / 4120
        for frame in 0..<frames {
            for more in [0, 24, 2_000] {
                var image = hot.image
                image.log = Array(hot.image.log.prefix(32 + frame * 4120 + more))
                try hot.judge(image, mode, &tally, "cut in frame \(frame)")
            }
        }
        var image = hot.image
        image.log = []
        try hot.judge(image, mode, &tally, "gone")
        #expect(tally.harmless == 0, "\(tally)")

        // An older log over a newer database gives a mixture, not a shorter history.
        tally = Tally()
        let later = try HotStore(log: 0)
        var logs: [[UInt8]] = []
        let a = try #require(later.test.store.snapshot().series.first).id
        for i in 0..<12 {
            try later.test.store.append(to: a, [Sample(start: Int64(i), value: 1)])
            logs.append(try StoreImage(later.test.path).log)
            if i % 4 == 3 { try later.test.reopen() }
        }
        let newest = try HotStore(later.test)
        for (i, log) in logs.enumerated() {
            var image = newest.image
            image.log = log
            try newest.judge(image, mode, &tally, "the log after commit \(i)")
        }
        #expect(tally.detected > 0, "\(tally)")
    }

    @Test("An accepted loss allows opening, and the next commit makes it final")
    func accepted() throws {
        let hot = try HotStore()
        var image = hot.image
        image.log = []
        try image.lay(hot.path)
        var options = hot.test.options
        for mode in [OpenMode.readOnly, .readWrite] {
            #expect { try TimeSeriesStore.open(at: hot.path, mode: mode) } throws: {
                ($0 as? StoreError)?.kind == .rolledBack
            }
        }
        #expect(try StoreImage(hot.path).catalog == hot.image.catalog)
        let orphan = hot.path + "/segments/00000000-0000-8000-8000-000000000000.kseg"
        try RealDisk().createFile(orphan, [1])
        options.acceptsLostCommits = true
        let reader = try TimeSeriesStore.open(at: hot.path, mode: .readOnly, options: options)
        #expect(reader.snapshot().count(of: try #require(reader.snapshot().series.first).id) == 50)
        #expect(try !reader.refresh())
        reader.close()
        let writer = try TimeSeriesStore.open(at: hot.path, options: options)
        try writer.append(to: try #require(writer.snapshot().series.first).id, [Sample(start: 1, value: 1)])
        writer.close()
        #expect(try RealDisk().exists(orphan), "it may have lost samples")
        try TimeSeriesStore.open(at: hot.path).close()
    }

    @Test("During a running writer, a damaged log gives readers an error, and the writer stops or stays correct")
    func runningWriter() throws {
        let hot = try HotStore()
        let store = hot.test.store
        let path = hot.test.path + "/" + StoreImage.log
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let a = try #require(store.snapshot().series.first).id
        var errors = 0
        for back in stride(from: 1, to: 4120, by: 41) {
            // In the newest frame, which a new reader needs.
            let log = try StoreImage(hot.test.path).log
            let at = log.count - back
            func put(_ byte: UInt8) throws {
                try file.seek(toOffset: UInt64(at))
                try file.write(contentsOf: [byte])
            }
            try put(log[at] ^ 0x20)
            do throws(StoreError) {
                let reader = try TimeSeriesStore.open(at: hot.test.path, mode: .readOnly)
                let (found, wanted) = (try HotStore.ask(reader), try HotStore.ask(store))
                #expect(found == wanted, "byte \(at)")
                reader.close()
            } catch {
                #expect(error.kind == .corrupt, "byte \(at): \(error)")
                errors += 1
            }
            try store.append(to: a, [Sample(start: Int64(at), value: 1)])
            try put(log[at])
        }
        #expect(errors > 90)
        let reader = try TimeSeriesStore.open(at: hot.test.path, mode: .readOnly)
        #expect(try HotStore.ask(reader) == HotStore.ask(store))
        reader.close()
        let answer = try HotStore.ask(store)
        try hot.test.reopen()
        #expect(try HotStore.ask(hot.test.store) == answer)
    }

    @Test("A refreshing reader compares with the witness too, without false alarms during commits")
    func refreshing() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        let witness = test.path + "/WITNESS"
        let (writer, path) = (test.store, test.path)
        _ = onThreads(2) { thread in
            for i in 0..<150 {
                do throws(StoreError) {
                    if thread == 0 {
                        try writer.append(to: id, [Sample(start: Int64(i), value: 1)])
                    } else {
                        try reader.refresh()
                        try TimeSeriesStore.open(at: path, mode: .readOnly).close()
                    }
                } catch { Issue.record("\(error)") }
            }
        }
        try reader.refresh()
        #expect(reader.snapshot().count(of: id) == 150)
        // A witness of a commit that the catalog lacks.
        let file = try Witness(
            witness, store: test.store.context.storeID, disk: RealDisk(), keys: test.store.context.options.keys)
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        try file.note(1_000)
        do {
            try reader.refresh()
            Issue.record("refreshed")
        } catch { #expect(error.kind == .rolledBack) }
        reader.close()
    }

    @Test("A missing, empty, truncated or zeroed witness is a remark of verify; a damaged one is a problem")
    func verifying() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 1, value: 1)])
        test.store.close()
        let path = test.path + "/WITNESS"
        let sound = try RealDisk().contents(of: path, limit: 1_000)
        func report(_ bytes: [UInt8]?) throws -> VerifyReport {
            if try RealDisk().exists(path) { try RealDisk().remove(path) }
            if let bytes { try RealDisk().createFile(path, bytes) }
            return try TimeSeriesStore.verify(at: test.path)
        }
        for whole in TestKey.isUsed ? [sound] : [sound, Array(sound.prefix(Self.size))] {
            let found = try report(whole)
            #expect(found.isSound && found.remarks.isEmpty, "\(found.remarks)")
        }
        let cut =
            [0, 1, 20, 35, Self.size + 1, 50, 2 * Self.size - 1].map { Array(sound.prefix($0)) } + [
                [UInt8](repeating: 0, count: 72)
            ]
        for bytes in cut.map(Optional.some) + [nil] {
            let found = try report(bytes)
            #expect(found.isSound && found.problems.isEmpty, "\(bytes?.count ?? -1): \(found.problems)")
            #expect(found.remarks.count == 1 && found.remarks[0].contains(path), "\(bytes?.count ?? -1)")
        }
        for at in [0, 30, 40, 71] {
            var bytes = sound
            bytes[at] ^= 1
            let found = try report(bytes)
            #expect(found.problems.map(\.path) == [path], "byte \(at)")
        }
        #expect(try report(sound + [0]).problems.map(\.path) == [path], "longer than any")
        // A truncated witness that still names a commit which the catalog lacks.
        let file = try Witness(
            path, store: test.store.context.storeID, disk: RealDisk(), keys: test.store.context.options.keys)
        try file.note(1_000)
        try file.close()
        let ahead = try RealDisk().contents(of: path, limit: 1_000).prefix(Self.size + 14)
        #expect(throws: Never.self) { try report(Array(ahead)) }
        #expect(try !report(Array(ahead)).isSound)
        // The next commit rewrites the witness.
        _ = try report([])
        try TimeSeriesStore.open(at: test.path).close()
        let mended = try TimeSeriesStore.verify(at: test.path)
        #expect(mended.isSound && mended.remarks.isEmpty)
    }
}
