// SPDX-License-Identifier: Apache-2.0

import CKymograph
import Foundation
import TestSupport
import Testing

extension CInterface {
    @Suite("E-19: streams after damage and after a fork")
    struct StreamFaultTests {
        @Test("Damage in the middle of a stream is EIO with the path of the file, again at each later pull")
        func damage() throws {
            let store = try CStore()
            let id = try store.series("pulse")
            let starts = (0..<300_000).map { Int64($0) * 1_000_003 }
            try store.append(id, starts, nil, starts.map { sin(Double($0)) })
            let stream = try store.snapshot().scan([id]) { unsafe $0.columns = UInt32(KYMO_START | KYMO_VALUE) }
            let folder = store.directory.file("store/segments")
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            let file = try #require(FileHandle(forUpdatingAtPath: folder + "/" + name))
            let middle = try file.seekToEnd() / 2
            try file.seek(toOffset: middle)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 64))
            try file.close()
            var rows: Int64 = 0
            var number: Int32 = 0
            while number == 0 {
                var batch = unsafe ArrowArray()
                number = unsafe stream.stream.pointee.get_next(stream.stream, &batch)
                guard number == 0, let release = unsafe batch.release else { break }
                rows += unsafe batch.length
                unsafe release(&batch)
            }
            #expect(number == 5 && rows < 300_000)
            let message = unsafe String(cString: stream.stream.pointee.get_last_error(stream.stream)!)
            #expect(message.contains(name) && message.contains("at byte"))
            var batch = unsafe ArrowArray()
            #expect(unsafe stream.stream.pointee.get_next(stream.stream, &batch) == 5)
        }

        @Test("In a forked child, handles and streams of the parent are errors, and a store opens anew")
        func fork() async {
            // In a process of its own, since another thread may hold a lock of the allocator during a fork.
            await #expect(processExitsWith: .success) {
                let store = try CStore()
                let id = try store.series("pulse")
                try store.append(id, [1, 2], nil, [1, 2])
                let snapshot = try store.snapshot()
                let stream = try snapshot.scan([id])
                let child = ForkedChild {
                    var error: OpaquePointer?
                    let refreshed = unsafe kymo_store_refresh(store.handle, nil, &error)
                    let commit = unsafe kymo_snapshot_commit(snapshot.handle)
                    var batch = unsafe ArrowArray()
                    let pulled = unsafe stream.stream.pointee.get_next(stream.stream, &batch)
                    var anew: OpaquePointer?
                    let opened = unsafe kymo_store_open(store.directory.file("store"), nil, &anew, &error)
                    let isRead = unsafe kymo_store_refresh(anew, nil, &error) == KYMO_OK
                    unsafe kymo_store_close(store.handle)
                    return refreshed == KYMO_FORKED && commit == -1 && pulled == 5 && opened == KYMO_OK && isRead
                        ? 7 : 1
                }
                #expect(child.wait() == 7)
                // The parent is unaffected.
                try store.append(id, [3], nil, [3])
                #expect(try stream.read().columns["value"] == .doubles([1, 2]))
            }
        }
    }
}
