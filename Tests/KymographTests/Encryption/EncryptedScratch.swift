// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Kymograph

/// An encrypted store in a directory of its own, with texts and values that must not be in its files.
struct EncryptedScratch {
    /// Parts of texts that the store gets.
    static let canaries = ["canaryseries", "canarylabel", "canarysubject", "canarycontent"]
    /// A value that the store gets many times.
    static let value = 123456.78901234567

    let directory: TemporaryDirectory
    let secret: StoreSecret
    var path: String { directory.file("store") }

    init(_ byte: UInt8 = 1) throws {
        NonceWatch.start()
        directory = try TemporaryDirectory()
        secret = try Self.secret(byte)
    }

    static func secret(_ byte: UInt8) throws -> StoreSecret {
        var bytes = [UInt8](repeating: byte, count: 32)
        return try StoreSecret(key: &bytes)
    }

    /// Options with the key of the store, or with another one.
    func options(_ secret: StoreSecret? = nil) -> StoreOptions {
        var options = StoreOptions()
        options.key = KeyOnce(secret ?? self.secret)
        options.isKeyOptional = false
        return options
    }

    /// Options without a key.
    func plainOptions() -> StoreOptions {
        var options = StoreOptions()
        options.key = nil
        options.isKeyOptional = false
        return options
    }

    /// Creates the store with `count` samples in segments, ten in the tail, and one attached file.
    func fill(_ count: Int = 20_000, threads: Int = 2) throws -> [Sample] {
        var options = options()
        options.threads = threads
        let store = try TimeSeriesStore.create(at: path, options: options)
        defer { store.close() }
        return try Self.fill(store, count)
    }

    static func fill(_ store: TimeSeriesStore, _ count: Int) throws -> [Sample] {
        let series = try store.series(
            "canaryseries", labels: ["canarylabel": "canarysubject"], kind: .discrete)
        var samples = (0..<count).map { Sample(start: Int64($0) * 1_000_000_000, value: value + Double($0 % 97)) }
        try store.load(samples, to: series.id)
        let late = (count..<count + 10).map { Sample(start: Int64($0) * 1_000_000_000, value: value) }
        try store.append(late, to: series.id)
        samples += late
        return samples
    }

    /// All files of a directory, relative to it.
    static func files(_ path: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            var isDirectory: ObjCBool = false
            let file = path + "/" + name
            _ = FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory)
            if !isDirectory.boolValue { found[name] = try Data(contentsOf: URL(fileURLWithPath: file)) }
        }
        return found
    }

    /// Expects that no file of a directory holds a canary.
    static func expectNoCanary(_ path: String, _ location: SourceLocation = #_sourceLocation) throws {
        let needles = canaries.map { Data($0.utf8) } + [withUnsafeBytes(of: value.bitPattern) { Data($0) }]
        for (name, bytes) in try files(path) {
            for needle in needles {
                #expect(bytes.range(of: needle) == nil, "\(name)", sourceLocation: location)
            }
        }
    }
}
