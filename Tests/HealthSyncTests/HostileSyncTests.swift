// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel
import Kymograph
import KymographHealth
import Synchronization
import TestSupport
import Testing

@testable import HealthSync

/// A connection that sends what a test gives it, and keeps what it receives.
private final class ScriptedChannel: SyncChannel {
    private let input: Mutex<[UInt8]>
    private let output = Mutex<[UInt8]>([])

    init(_ input: [UInt8]) { self.input = Mutex(input) }

    var written: [UInt8] { output.withLock { $0 } }

    func read(_ count: Int) throws -> [UInt8] {
        input.withLock { bytes in
            let part = Array(bytes.prefix(count))
            bytes.removeFirst(part.count)
            return part
        }
    }

    func write(_ bytes: [UInt8]) throws { output.withLock { $0 += bytes } }

    func close() {}
}

/// Passes the bytes of a channel on, and keeps the bytes that arrive.
private final class TappedChannel: SyncChannel {
    private let channel: any SyncChannel
    private let seen = Mutex<[UInt8]>([])

    init(_ channel: any SyncChannel) { self.channel = channel }

    var received: [UInt8] { seen.withLock { $0 } }

    func read(_ count: Int) throws -> [UInt8] {
        let bytes = try channel.read(count)
        seen.withLock { $0 += bytes }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws { try channel.write(bytes) }

    func close() { channel.close() }
}

@Suite("S-55 E-18 a peer that is damaged or hostile")
struct HostileSyncTests {
    /// The frames that a store with some content sends to an empty store.
    private static func recorded() async throws -> (pair: SyncPair, frames: [SyncFrame]) {
        let pair = try SyncPair()
        try await SyncPair.save(
            (0..<20).map { SyncPair.sample($0, Double($0), metadata: ["a": "b"]) } + [SyncPair.bloodPressure(3)],
            in: pair.second)
        let (here, there) = MemoryChannel.pair()
        let tapped = TappedChannel(here)
        let (first, second) = (pair.first, pair.second)
        let answer = SyncAnswer()
        SyncThread.detach {
            do throws(SyncError) {
                _ = try HealthStoreSync(second).run(over: there)
                answer.end(nil)
            } catch { answer.end(error) }
        }
        _ = try HealthStoreSync(first).run(over: tapped)
        #expect(answer.wait() == nil)
        var reader = SyncFrame.Reader(ScriptedChannel(tapped.received))
        var frames = [SyncFrame]()
        while let frame = try reader.next() { frames.append(frame) }
        return (pair, frames)
    }

    private static func bytes(_ frames: [SyncFrame]) -> [UInt8] {
        frames.enumerated().flatMap { $0.element.encoded(number: UInt64($0.offset)) }
    }

    /// Runs an empty store against bytes. Expects an error, and a store without content.
    private func expectRefused(_ bytes: [UInt8], _ note: String) async throws {
        let directory = try TemporaryDirectory()
        let store = try HealthStore.openOrCreate(at: directory.file("store"), mode: .shared)
        defer { store.close() }
        let error = #expect(throws: SyncError.self, "\(note)") {
            try HealthStoreSync(store).run(over: ScriptedChannel(bytes))
        }
        let kinds: [SyncError.Kind] = [
            .malformed, .connection, .store(.corrupt), .store(.engine(.corrupt)), .store(.newerFormat), .newerVersion,
        ]
        #expect(error.map { kinds.contains($0.kind) } ?? true, "\(note): \(error as Any)")
        #expect(try store.engine.info().samples == 0, "\(note)")
        #expect(try store.verify().isSound, "\(note)")
    }

    @Test("The recorded frames are stored as they are")
    func recording() async throws {
        let (_, frames) = try await Self.recorded()
        #expect(frames.map(\.kind) == [.hello, .resume, .page, .done, .end])
        let page = try PageCodec.decode(frames[2].body)
        #expect(PageCodec.encode(page) == frames[2].body)
        #expect(page.samples == 22 && page.objects.count == 1)
    }

    @Test("A changed, cut or repeated byte is an error that names the frame, and stores nothing")
    func damage() async throws {
        let (_, frames) = try await Self.recorded()
        let whole = Self.bytes(Array(frames.prefix(3)))
        var random = SeededGenerator(seed: 1)
        for _ in 0..<60 {
            var bytes = whole
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try await expectRefused(bytes, "bit of byte \(place)")
            try await expectRefused(Array(whole.prefix(place)), "cut at \(place)")
        }
    }

    @Test("Repeated, exchanged and missing frames are refused")
    func order() async throws {
        let (_, frames) = try await Self.recorded()
        let page = frames[2]
        let encoded = frames.prefix(3).enumerated().map { $0.element.encoded(number: UInt64($0.offset)) }
        try await expectRefused(Array((encoded[0] + encoded[2] + encoded[1])), "exchanged")
        try await expectRefused(encoded[0] + encoded[2], "missing")
        try await expectRefused(Self.bytes([page]), "no greeting")
        try await expectRefused(Self.bytes([frames[0], frames[0], page]), "two greetings")
        try await expectRefused(Self.bytes([frames[0], frames[1], frames[0], page]), "a late greeting")
        let acknowledgement = SyncFrame(kind: .acknowledgement, body: [])
        try await expectRefused(Self.bytes([frames[0], frames[1], acknowledgement]), "an acknowledgement of nothing")
    }

    @Test("False lengths cost no memory")
    func lengths() async throws {
        for length: UInt32 in [1 << 28, 1 << 31, .max] {
            var bytes: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(8 * $0)) }
            bytes.append(SyncFrame.Kind.page.rawValue)
            try await expectRefused(bytes + [1, 2, 3], "\(length) bytes")
        }
    }

    @Test("A page with right checksums and wrong content stores nothing")
    func content() async throws {
        let (_, frames) = try await Self.recorded()
        let page = try PageCodec.decode(frames[2].body)
        var changes: [(String, SyncPage)] = []
        func add(_ note: String, _ change: (inout SyncPage) -> Void) {
            var changed = page
            change(&changed)
            changes.append((note, changed))
        }
        add("no sources") { $0.sources = [] }
        add("no provenances") { $0.provenances = [] }
        add("no metadata") { $0.metadata = [] }
        add("no series") { $0.series = [] }
        add("other metadata") { $0.metadata[0].body = [255, 255, 255] }
        add("a body of other bytes") { $0.objects[0].body = [1, 2, 3] }
        add("an unknown kind") { $0.objects[0].kind = 99 }
        add("an object that ends before it starts") { $0.objects[0].end = $0.objects[0].start - 1 }
        add("an object twice") { $0.objects.append($0.objects[0]) }
        add("a block of another series") { $0.blocks[0].series = $0.series.last?.series ?? 0 }
        add("blocks exchanged") { $0.blocks.swapAt(0, 1) }
        for (note, changed) in changes {
            let frame = SyncFrame(kind: .page, body: PageCodec.encode(changed))
            try await expectRefused(Self.bytes([frames[0], frames[1], frame]), note)
        }
        var random = SeededGenerator(seed: 2)
        for _ in 0..<200 {
            var body = frames[2].body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                body[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let directory = try TemporaryDirectory()
            let store = try HealthStore.openOrCreate(at: directory.file("store"), mode: .shared)
            let all = Self.bytes([frames[0], frames[1], SyncFrame(kind: .page, body: body)])
            // A changed text may be a valid one. The store stays sound in any case.
            _ = try? HealthStoreSync(store).run(over: ScriptedChannel(all))
            #expect(try store.verify().isSound)
            store.close()
        }
    }

    @Test("A newer protocol and other programs are refused")
    func versions() async throws {
        var hello = SyncHello(store: [UInt8](repeating: 7, count: 16), name: "other").body
        hello[8] = 2
        let directory = try TemporaryDirectory()
        let store = try HealthStore.openOrCreate(at: directory.file("store"), mode: .shared)
        defer { store.close() }
        let newer = SyncFrame(kind: .hello, body: hello).encoded(number: 0)
        let error = #expect(throws: SyncError.self) {
            try HealthStoreSync(store).run(over: ScriptedChannel(newer))
        }
        #expect(error?.kind == .newerVersion, "\(error as Any)")
        try await expectRefused(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "another program")
        try await expectRefused([], "nothing")
    }

    @Test("Descriptors that are closed or not open are errors, and forgetting an unknown peer does nothing")
    func channels() throws {
        let channel = DescriptorChannel(reading: -1, writing: -1, name: "nothing")
        #expect(throws: (any Error).self) { try channel.write([1]) }
        channel.close()
        #expect(try channel.read(1).isEmpty)
        let directory = try TemporaryDirectory()
        let store = try HealthStore.openOrCreate(at: directory.file("store"), mode: .shared)
        #expect(try !store.removePeer("") && !store.removePeer("nobody"))
        store.close()
        #expect(throws: SyncError.self) { try HealthStoreSync(store).run(over: ScriptedChannel([])) }
        #expect(throws: SyncError.self) { try HealthStoreSync(store).run(with: store) }
    }
}
