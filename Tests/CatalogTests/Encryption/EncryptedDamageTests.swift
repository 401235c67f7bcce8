// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Catalog

@Suite("S-3 E-16 damage and forgery of an encrypted catalog")
struct EncryptedDamageTests {
    /// The files of a catalog of twelve commits, eight of them in the log.
    private struct Files {
        let scratch: EncryptedScratch
        let database: [UInt8]
        let log: [UInt8]
        let bodies = (1...12).map { EncryptedScratch.body($0) }

        init() throws {
            scratch = try EncryptedScratch()
            let writer = try scratch.filled(commits: 12, copied: 4)
            (database, log) = (try scratch.bytes(), LogFrames.trimmed(try scratch.bytes("-wal")))
            try writer.close()
        }

        /// What a reader finds: an error, or the bodies of a number of commits. Other rows are an issue.
        enum Found: Equatable { case error(String), commits(Int) }

        func read(_ database: [UInt8], _ log: [UInt8], _ note: String) throws -> Found {
            try? FileManager.default.removeItem(atPath: scratch.catalog + "-index")
            try Data(database).write(to: URL(fileURLWithPath: scratch.catalog))
            try Data(log).write(to: URL(fileURLWithPath: scratch.catalog + "-wal"))
            do {
                let reader = try scratch.reader()
                defer { try? reader.close() }
                let rows = try reader.load().tail.map(\.body)
                #expect(rows == Array(bodies.prefix(rows.count)), "\(note): other rows")
                return .commits(rows.count)
            } catch let error as CatalogError {
                return .error(error.message)
            }
        }
    }

    @Test("a flipped bit is an error, ends the log, or lies in bytes that are not read; the rows are never others")
    func flips() throws {
        let files = try Files()
        var (errors, shorter) = (0, 0)
        for i in stride(from: 0, to: files.database.count + files.log.count, by: 61) {
            var (database, log) = (files.database, files.log)
            let bit: UInt8 = 1 << UInt8(i % 8)
            if i < database.count { database[i] ^= bit } else { log[i - database.count] ^= bit }
            switch try files.read(database, log, "byte \(i)") {
            case .error: errors += 1
            case .commits(let count): if count < 12 { shorter += 1 }
            }
        }
        #expect(errors > 50 && shorter > 50)
    }

    @Test("a forged page of the database is found, also with a right checksum")
    func forgedPages() throws {
        let files = try Files()
        var dice = Dice(seed: 5)
        let pages = files.database.count / EncryptedPage.page
        for number in 1...pages {
            for _ in 0..<6 {
                var database = files.database
                let at = dice.below(EncryptedPage.page)
                if EncryptedPage.checksum..<EncryptedPage.checksum + 4 ~= at { continue }
                database[(number - 1) * EncryptedPage.page + at] ^= UInt8(1 + dice.below(255))
                EncryptedPage.restamp(&database, page: number)
                let salvage = try PageOfFile.read(files.scratch, database, number)
                #expect(salvage == nil, "page \(number), byte \(at)")
            }
        }
        var database = files.database
        database[100] ^= 1
        EncryptedPage.restamp(&database, page: 1)
        guard case .error(let message) = try files.read(database, [], "page 1") else {
            Issue.record("a forged page was read")
            return
        }
        #expect(message.contains("on purpose"), "\(message)")
    }

    @Test("a forged frame ends the log, also with a right checksum")
    func forgedFrames() throws {
        let files = try Files()
        var dice = Dice(seed: 9)
        let frames = (files.log.count - EncryptedPage.logHeader) / EncryptedPage.frame
        for index in 0..<frames {
            for _ in 0..<6 {
                var log = files.log
                let at = dice.below(EncryptedPage.frame)
                log[EncryptedPage.logHeader + index * EncryptedPage.frame + at] ^= UInt8(1 + dice.below(255))
                EncryptedPage.restamp(&log, frame: index)
                switch try files.read(files.database, log, "frame \(index), byte \(at)") {
                case .error: continue
                case .commits(let count): #expect(count <= 4 + index, "frame \(index), byte \(at)")
                }
            }
        }
    }

    @Test("pages and frames that changed places, or come from a twin, are refused")
    func swaps() throws {
        let (files, twin) = (try Files(), try Files())
        #expect(files.database.count == twin.database.count && files.log.count == twin.log.count)
        let pages = files.database.count / EncryptedPage.page
        for number in 2...pages {
            var database = files.database
            let (a, b) = ((number - 2) * EncryptedPage.page, (number - 1) * EncryptedPage.page)
            for i in 0..<EncryptedPage.page { database.swapAt(a + i, b + i) }
            EncryptedPage.restamp(&database, page: number)
            EncryptedPage.restamp(&database, page: number - 1)
            #expect(try PageOfFile.read(files.scratch, database, number) == nil)
            #expect(try PageOfFile.read(files.scratch, database, number - 1) == nil)
        }
        let frames = (files.log.count - EncryptedPage.logHeader) / EncryptedPage.frame
        for index in 1..<frames {
            var log = files.log
            let b = EncryptedPage.logHeader + index * EncryptedPage.frame
            for i in 0..<EncryptedPage.frame { log.swapAt(b - EncryptedPage.frame + i, b + i) }
            EncryptedPage.restamp(&log, frame: index)
            EncryptedPage.restamp(&log, frame: index - 1)
            if case .commits(let count) = try files.read(files.database, log, "swapped \(index)") {
                #expect(count <= 4 + index - 1)
            }
            // The frame of another log of the same key has another generation.
            var mixed = files.log
            for i in 8..<EncryptedPage.frame { mixed[b + i] = twin.log[b + i] }
            for i in 8..<16 { mixed[b + i] = files.log[b + i] }
            EncryptedPage.restamp(&mixed, frame: index)
            if case .commits(let count) = try files.read(files.database, mixed, "mixed \(index)") {
                #expect(count <= 4 + index)
            }
        }
    }
}

/// One page of a database, read with its key and without SQLite.
enum PageOfFile {
    static func read(_ scratch: EncryptedScratch, _ database: [UInt8], _ number: Int) throws -> [UInt8]? {
        let path = scratch.folder.file("page.sqlite")
        try Data(database).write(to: URL(fileURLWithPath: path))
        let files = CatalogFile(vfs: CatalogVFS.production, keys: scratch.keys)
        return PageFile(path, files, log: false)?.page(UInt32(number))
    }
}
