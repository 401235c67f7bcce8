// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import HealthCatalog
import Kernels
import Synchronization

@testable import HealthSync
@testable import Kymograph
@testable import KymographHealth

/// The bytes between two stores that are synchronised.
enum SyncTargets {
    static let all = [
        Target(
            name: "sync-frames", maximumLength: 2048, variants: 31,
            asserts: "frames and greetings are written as they were read, in pieces of any size, or refused",
            seeds: { _ in [[0, 0] + frames, [3, 0] + frames, [0, 255] + frames] }, run: each(read)),
        Target(
            name: "sync-page", maximumLength: 4096, variants: 31,
            asserts: "a page is read as written, and its blocks have samples that a store holds, or are refused",
            seeds: { _ in pages }, run: each(page)),
        Target(
            name: "sync-position", maximumLength: 512, variants: 31,
            asserts: "a position's text gives the same position; other texts are refused",
            seeds: { _ in positions.map { [0] + Array($0.utf8) } }, run: each(position)),
    ]

    // MARK: Frames

    /// A connection that has some bytes.
    private final class GivenBytes: SyncChannel {
        private let left: Mutex<ArraySlice<UInt8>>
        private let most: Int

        /// - Parameter most: the most bytes that one call returns.
        init(_ bytes: [UInt8], most: Int) {
            left = Mutex(bytes[...])
            self.most = most
        }

        func read(_ count: Int) throws -> [UInt8] {
            left.withLock { bytes in
                let part = Array(bytes.prefix(min(count, most)))
                bytes = bytes.dropFirst(part.count)
                return part
            }
        }

        func write(_ bytes: [UInt8]) throws {}

        func close() {}
    }

    private static var frames: [UInt8] {
        var hello = SyncHello(store: Checksums.store, name: "a store")
        (hello.follows, hello.epoch) = (true, -3)
        let all = [
            SyncFrame(kind: .hello, body: hello.body), SyncFrame(kind: .resume, body: Array(positions[1].utf8)),
            SyncFrame(kind: .page, body: PageCodec.encode(SyncPage())), SyncFrame(kind: .done),
            SyncFrame(kind: .acknowledgement, body: Array("position".utf8)), SyncFrame(kind: .end),
        ]
        return all.enumerated().flatMap { $0.element.encoded(number: UInt64($0.offset)) }
    }

    /// Reads frames. The first byte is the size of the pieces; a second byte below 224 corrects the checksums.
    private static func read(_ input: [UInt8]) {
        guard input.count > 2 else { return }
        let bytes = input[1] < 224 ? sealed(Array(input.dropFirst(2))) : Array(input.dropFirst(2))
        var reader = SyncFrame.Reader(GivenBytes(bytes, most: input[0] == 0 ? .max : Int(input[0])))
        var (at, number) = (0, UInt64(0))
        do {
            while let frame = try reader.next() {
                let again = frame.encoded(number: number)
                require(at + again.count <= bytes.count, "frame \(number) is longer than the bytes")
                require(Array(bytes[at..<at + again.count]) == again, "frame \(number) is written in another form")
                (at, number) = (at + again.count, number + 1)
                if frame.kind == .hello { greeting(frame.body) }
                if frame.kind == .page, let page = try? PageCodec.decode(frame.body) { check(page) }
            }
            require(at == bytes.count, "\(bytes.count - at) bytes after the last frame")
        } catch {
            require(error is SyncError, "an error of another type: \(error)")
        }
    }

    private static func greeting(_ body: [UInt8]) {
        guard let hello = try? SyncHello(body) else { return }
        require(hello.store.count == 16, "an id of \(hello.store.count) bytes")
        guard var again = try? SyncHello(hello.body) else { finding("a written greeting cannot be read: \(hello)") }
        // Only the beginning of a long name is sent.
        require(hello.name.hasPrefix(again.name), "another name")
        again.name = hello.name
        require(again == hello, "\(again) is not \(hello)")
    }

    /// Makes the checksums of the frames right, as far as the lengths are right.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var (at, number) = (0, UInt64(0))
        while at + SyncFrame.headBytes + SyncFrame.tailBytes <= bytes.count {
            let length = Int(Checksums.number(bytes, at, 4))
            let end = at + SyncFrame.headBytes + length
            guard end + SyncFrame.tailBytes <= bytes.count, let kind = SyncFrame.Kind(rawValue: bytes[at + 4])
            else { break }
            let body = Array(bytes[(at + SyncFrame.headBytes)..<end])
            let frame = SyncFrame(kind: kind, body: body).encoded(number: number)
            bytes.replaceSubrange(end..<end + SyncFrame.tailBytes, with: frame.suffix(SyncFrame.tailBytes))
            (at, number) = (end + SyncFrame.tailBytes, number + 1)
        }
        return bytes
    }

    // MARK: Pages

    private static var pages: [[UInt8]] {
        var names = SyncPage()
        names.sources = [SourceRow(id: 1, name: "Watch", bundle: "com.example.watch"), SourceRow(id: 2, name: "")]
        names.devices = [DeviceRow(id: 1, text: "name:Watch, model:9")]
        names.provenances = [
            ProvenanceRow(id: 1, source: 1, version: "10", device: 1, product: "Watch9,1", system: "11.2"),
            ProvenanceRow(id: 300, source: 2),
        ]
        names.metadata = [MetadataRow(id: 5, body: [16, 1, 49])]
        names.series = [
            HealthSeriesRow(series: 7, type: "HKQuantityTypeIdentifierHeartRate", source: 1, unit: "count/min")
        ]
        names.position = positions[1]
        var objects = SyncPage()
        objects.deadObjects = [.init(uuid: Checksums.store, type: "HKWorkoutTypeIdentifier", start: -1)]
        objects.deadSamples = [.init(series: 7, identity: SampleIdentity(high: 1, low: -2), range: TimeRange(5, 6))]
        objects.elements = [ElementRow(id: 1, kind: 2, start: nil, end: 9, digest: 3, body: [1, 2])]
        objects.elementKeys = [.init(id: 1, kind: 2, digest: 3)]
        objects.documents = [.init(row: DocumentRow(id: 0, path: "a/b.gpx", digest: 3, bytes: 2), body: [0, 1])]
        objects.objects = [
            SavedObjectRow(
                id: 4, uuid: Checksums.store, kind: 1, type: "HKCorrelationTypeIdentifierBloodPressure", provenance: 1,
                metadata: 5, start: 1, end: 2, created: 3, body: [1, 0])
        ]
        objects.isLast = true
        return [SyncPage(), names, objects, samples].map { [0] + PageCodec.encode($0) }
    }

    /// A page with two blocks.
    private static var samples: SyncPage {
        var page = SyncPage()
        var writer = ByteWriter()
        var encoder = ChangeBlockEncoder(store: Checksums.store)
        for place in 0..<2 {
            var rows = SampleRows()
            rows.starts = (0..<9).map { Int64($0) * 1_000_000_000 }
            rows.values = (0..<9).map { Double(60 + $0 * (1 + place)) }
            rows.identityHigh = .constant(77)
            rows.identityLow = .sequence(first: Int64(place) * 100)
            rows.provenance = .constant(1)
            let start = writer.count
            guard (try? encoder.encode(rows, series: 7, place: place, into: &writer)) != nil else { return page }
            page.blocks.append(.init(series: 7, range: start..<writer.count))
            page.samples += rows.count
        }
        page.bytes = writer.bytes
        return page
    }

    /// Reads a page. A first byte below 224 corrects the checksums of the blocks.
    private static func page(_ input: [UInt8]) {
        guard let way = input.first, var page = try? PageCodec.decode(Array(input.dropFirst())) else { return }
        check(page)
        if way < 224 {
            for (place, block) in page.blocks.enumerated() {
                let identity = BlockIdentity(
                    store: Checksums.store, segment: Array("kymograph change".utf8),
                    series: UInt64(bitPattern: block.series), position: UInt64(place))
                Checksums.set(&page.bytes, block.range, identity)
            }
        }
        var decoder = ChangeBlockDecoder(store: Checksums.store)
        for (place, block) in page.blocks.prefix(16).enumerated() {
            var rows = SampleRows()
            guard (try? decoder.decode(page.bytes, block.range, series: block.series, place: place, into: &rows)) != nil
            else { continue }
            require(rows.count > 0 && rows.count <= ChangeBlockEncoder.mostSamples, "a block of \(rows.count) samples")
            require(
                rows.starts.allSatisfy { $0 >= TimeLimits.earliest } && rows.values.allSatisfy { !$0.isNaN },
                "a sample that no store holds")
        }
    }

    /// Checks that a page is written as it was read, and that its blocks lie in its bytes.
    private static func check(_ page: SyncPage) {
        let bytes = PageCodec.encode(page)
        guard let again = try? PageCodec.decode(bytes) else { finding("a written page cannot be read") }
        require(PageCodec.encode(again) == bytes, "a page is written in another form than it was read")
        var at = 0
        for block in page.blocks {
            require(block.range.lowerBound == at && block.range.upperBound <= page.bytes.count, "a block outside")
            at = block.range.upperBound
        }
        require(at == page.bytes.count, "bytes after the blocks")
        require(page.deadObjects.allSatisfy { $0.uuid.count == 16 }, "an identity of another length")
    }

    // MARK: Positions

    private static var positions: [String] {
        var position = SyncPosition()
        let empty = position.text
        position.begin = ChangeAnchor(store: Checksums.store, epoch: 0, commit: 3)
        position.end = ChangeAnchor(store: Checksums.store, epoch: 0, commit: 300)
        position.enter(.samples)
        let place = ChangeAnchor.Place(through: 300, series: 7, start: -1)
        position.samples = ChangeAnchor(store: Checksums.store, epoch: 0, commit: 3, place: place)
        position.document = 12
        return [empty, position.text]
    }

    /// Reads a position. A first byte below 224 corrects its checksum.
    private static func position(_ input: [UInt8]) {
        guard let way = input.first else { return }
        var text = String(decoding: input.dropFirst(), as: UTF8.self)
        if way < 224, let colon = text.lastIndex(of: ":") {
            let body = Array(text[..<colon].utf8)
            text = text[...colon] + String(Kernel.crc32c(body, 0..<body.count), radix: 16)
        }
        guard let read = SyncPosition(text: text) else { return }
        require(SyncPosition(text: read.text) == read, "\(text) is \(read.text)")
    }
}
