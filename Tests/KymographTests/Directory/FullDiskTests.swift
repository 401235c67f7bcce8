// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 X-3 the ballast, and space checks in advance")
struct FullDiskTests {
    private func store(
        _ disk: FaultyDisk, _ directory: TemporaryDirectory, ballast: Int = 8 << 20
    ) throws -> TimeSeriesStore {
        var options = StoreOptions()
        options.disk = disk
        options.catalogPath = directory.file("catalog.sqlite")
        options.ballastBytes = ballast
        return try TimeSeriesStore.openOrCreate(at: "/store", options: options)
    }

    /// Creates a store of one series whose catalog is on the disk too, and that compacts only on request.
    private func wholly(_ layer: SimulatedLayer, ballast: Int = 8 << 20) throws -> (TimeSeriesStore, SeriesID) {
        var options = layer.options
        options.compacts = false
        options.ballastBytes = ballast
        let store = try TimeSeriesStore.openOrCreate(at: "/store", options: options)
        return (store, try store.series("a", kind: .discrete).id)
    }

    /// Samples of about 8 bytes each.
    private var incompressible: [Sample] {
        var random = SeededGenerator(seed: 7)
        return samples.map { Sample(start: $0.start, value: Double(random.next() >> 1)) }
    }

    private let samples = (0..<40_000).map { Sample(start: Int64($0) * second, value: Double($0 * 7_919 % 10_007) / 3) }

    @Test("The ballast is a quarter of the store, within bounds")
    func sizes() {
        for (store, most, size) in [
            (0, 8 << 20, 256 << 10), (1 << 20, 8 << 20, 256 << 10), (1 << 20 + 4, 8 << 20, 512 << 10),
            (16 << 20, 8 << 20, 4 << 20), (1 << 40, 8 << 20, 8 << 20), (0, 0, 0), (0, 5_000, 5_000),
            (1 << 40, 5_000, 5_000),
        ] as [(UInt64, UInt64, UInt64)] {
            #expect(Ballast.size(beside: store, most: most) == size, "\(store) \(most)")
        }
    }

    @Test("The ballast is a real file, reported separately, and follows the option")
    func file() throws {
        let directory = try TemporaryDirectory()
        let disk = try FaultyDisk()
        let first = try store(disk, directory)
        let info = try first.info()
        #expect(info.ballastBytes == 256 << 10)
        #expect(try disk.size(of: "/store/ballast") == 256 << 10)
        #expect(info.bytes < 256 << 10)
        first.close()
        let none = try store(disk, directory, ballast: 0)
        #expect(try none.info().ballastBytes == 0 && !disk.exists("/store/ballast"))
        none.close()
    }

    @Test("A load without space is refused with the sizes, before anything is written")
    func preflight() throws {
        let directory = try TemporaryDirectory()
        let disk = try FaultyDisk()
        let store = try store(disk, directory)
        defer { store.close() }
        let id = try store.series("a", kind: .discrete).id
        disk.setCapacity(disk.usedBytes + 100_000)
        let before = disk.mutationCount
        for body in [{ try store.append(samples, to: id) }, { try store.load(samples, to: id) }] {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.kind == .diskFull)
            #expect(error?.message.contains("185536") == true && error?.message.contains("100000 are free") == true)
        }
        let known = #expect(throws: StoreError.self) {
            try store.bulkLoad(expecting: 1_000_000) { _ in Issue.record("the load was begun") }
        }
        #expect(known?.kind == .diskFull)
        #expect(disk.mutationCount == before)
        disk.setCapacity(nil)
        try store.load(samples, to: id)
        #expect(store.snapshot().count(of: id) == 40_000)
    }

    @Test("An opening uses the ballast as needed, returns the rest at once, and all of it when it closes")
    func openings() throws {
        let directory = try TemporaryDirectory()
        let disk = try FaultyDisk()
        let first = try store(disk, directory)
        let (layout, options) = (first.context.layout, first.context.options)
        first.close()
        disk.setCapacity(disk.usedBytes)
        for _ in 0..<20 {
            var tries = 0
            var owed: Ballast.Owed?
            try Ballast.withRoom(layout, options, &owed) { () throws(StoreError) in
                tries += 1
                if tries == 1 { throw StoreError(.diskFull, "no room for SQLite's small files") }
                try onDisk { () throws(DiskError) in
                    try disk.createFile("/store/small", [UInt8](repeating: 1, count: 32_768))
                }
            }
            let left = try disk.size(of: "/store/ballast")
            #expect(left >= 256 << 10 - 32_768 - 8_192 && left < 256 << 10)
            // Another program uses all free space.
            disk.setCapacity(disk.usedBytes)
            try disk.remove("/store/small")
            owed?.takeBack(layout, options)
            #expect(try disk.size(of: "/store/ballast") >= left + 24_576)
            disk.setCapacity(disk.usedBytes)
        }
        // An error of another kind does not use the ballast.
        #expect(throws: StoreError.self) {
            var owed: Ballast.Owed?
            try Ballast.withRoom(layout, options, &owed) { () throws(StoreError) in throw .closedStore }
        }
        #expect(try disk.exists("/store/ballast"))
    }

    @Test("Sealing uses the ballast and returns the unused part; with free space the ballast grows again")
    func sealing() throws {
        let directory = try TemporaryDirectory()
        let disk = try FaultyDisk()
        let store = try store(disk, directory)
        defer { store.close() }
        let id = try store.series("a", kind: .discrete).id
        try store.append(Array(samples[..<8_000]), to: id)
        disk.setCapacity(disk.usedBytes)
        try store.seal()
        let info = try store.info()
        #expect(info.segments == 1 && info.tailSamples == 0)
        #expect(info.ballastBytes < 256 << 10 && info.ballastBytes > 100 << 10)
        #expect(disk.usedBytes <= 262_180 + 36)
        disk.setCapacity(nil)
        for i in 0..<130 { try store.append([Sample(start: Int64(i), value: 1)], to: id) }
        #expect(try store.info().ballastBytes == 256 << 10)
        #expect(try store.verify().problems.isEmpty)
    }

    @Test("On a full disk, reads, deletions, retention and compaction work and free space")
    func deletions() throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        let (store, id) = try wholly(layer)
        defer { store.close() }
        for month in 0..<8 as Range<Int64> {
            try store.load(incompressible.map { Sample(start: $0.start + month * 31 * day, value: $0.value) }, to: id)
        }
        // The disk is full to the last byte, and so is the log's preallocated space.
        disk.setCapacity(disk.usedBytes)
        var stored = 320_000
        let refusal = #expect(throws: StoreError.self) {
            for i in 0..<100_000 {
                try store.append([Sample(start: 400 * day + Int64(i), value: 1)], to: id)
                stored += 1
            }
        }
        #expect(refusal?.kind == .diskFull)
        #expect(store.snapshot().count(of: id) == stored)
        for i in 0..<40 as Range<Int64> {
            let range = TimeRange(i * 500 * second, (i + 1) * 500 * second)
            #expect(try store.delete(from: id, startingIn: range).count == 500)
        }
        #expect(try store.retain(.age(nanoseconds: 200 * day, now: 400 * day), in: id).count == 260_000)
        #expect(try store.delete(from: id, startingIn: TimeRange(217 * day, 217 * day + 500 * second)).count == 500)
        stored -= 280_500
        let used = disk.usedBytes
        // Seven segments are removed without writing; the rest of the last one fits into the ballast.
        let report = try store.compact()
        #expect(report.samplesRemoved == 280_500)
        #expect(store.snapshot().count(of: id) == stored)
        #expect(disk.usedBytes + 1_500_000 < used, "\(used) \(disk.usedBytes)")
        try store.append([Sample(start: 401 * day, value: 1)], to: id)
        #expect(try store.verify().problems.isEmpty)
    }

    @Test("If the rest of a segment does not fit into the ballast, compaction fails without loss")
    func tooLittleBallast() throws {
        let disk = try FaultyDisk()
        let layer = try SimulatedLayer(disk)
        let (store, id) = try wholly(layer, ballast: 20_000)
        defer { store.close() }
        try store.load(incompressible, to: id)
        disk.setCapacity(disk.usedBytes)
        try store.delete(from: id, startingIn: TimeRange(0, 100 * second))
        let before = try store.info()
        let error = #expect(throws: StoreError.self) { try store.compact() }
        #expect(error?.kind == .diskFull)
        #expect(try store.info().segments == before.segments)
        #expect(try disk.list("/store/segments").count == 1)
        #expect(store.snapshot().count(of: id) == 39_900)
        disk.setCapacity(nil)
        #expect(try store.compact().samplesRemoved == 100)
        #expect(try store.verify().problems.isEmpty)
    }

    /// Runs a shell script with a path. Returns true if it succeeds.
    private func shell(_ script: String, _ place: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "PATH=$PATH:/usr/sbin:/sbin; \(script)", "sh", place]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test("Shared memory without space on a disk with small blocks is reported as a full disk")
    func smallBlocks() throws {
        let directory = try TemporaryDirectory()
        let place = directory.file("mount")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let make = "truncate -s 16M \"$1.image\" && mkfs.ext4 -q -F -m 0 -b 1024 \"$1.image\""
        // Mounting requires root and is not allowed everywhere.
        guard try shell(make + " && mount -o loop \"$1.image\" \"$1\"", place) else { return }
        defer { _ = try? shell("umount -l \"$1\"", place) }
        var options = StoreOptions()
        options.ballastBytes = 0
        let store = try TimeSeriesStore.create(at: place + "/store", options: options)
        _ = try store.series("a", kind: .discrete)
        store.close()
        // Leaves space for one byte in every 4,096 of the shared memory, but not for all of its blocks.
        let fill = "dd if=/dev/zero of=\"$1/filler\" bs=1024; sync; truncate -s -16K \"$1/filler\"; sync"
        #expect(try shell(fill, place))
        let error = #expect(throws: StoreError.self) {
            try TimeSeriesStore.open(at: place + "/store", mode: .readOnly, options: options).close()
        }
        #expect(error?.kind == .diskFull, "\(error as Any)")
        #expect(try shell("rm \"$1/filler\"", place))
        try TimeSeriesStore.open(at: place + "/store", mode: .readOnly, options: options).close()
    }
}
