// SPDX-License-Identifier: Apache-2.0

import Cipher
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("Hostile keys, secrets and files of keys")
struct HostileKeyTests {
    private func kind(_ body: () throws -> Void) -> StoreError.Kind? {
        do { try body() } catch let error as StoreError { return error.kind } catch {}
        return nil
    }

    private func refusal(_ body: () throws -> Void) -> CipherError.Kind? {
        do { try body() } catch let error as CipherError { return error.kind } catch {}
        return nil
    }

    /// A provider that keeps what another one answers.
    private struct Asking: KeyProvider {
        final class Box: @unchecked Sendable { var secret: StoreSecret? }
        let other: any KeyProvider
        let found = Box()

        func secret(for store: KeyRequest) throws -> StoreSecret? {
            found.secret = try other.secret(for: store)
            return found.secret
        }
    }

    /// Returns what a provider answers for a store.
    private func answer(_ provider: any KeyProvider, of store: TimeSeriesStore) throws -> StoreSecret? {
        let asking = Asking(other: provider)
        var options = StoreOptions()
        options.key = asking
        do {
            try TimeSeriesStore.open(at: store.path, mode: .readOnly, options: options).close()
        } catch {
            if error.kind != .wrongKey { throw error }
        }
        return asking.found.secret
    }

    @Test("secrets have their sizes, and their arrays are wiped")
    func secrets() throws {
        for count in [0, 1, 31, 33, 100_000] {
            var bytes = [UInt8](repeating: 9, count: count)
            #expect(refusal { _ = try StoreSecret(key: &bytes) } == .invalidArgument)
            #expect(bytes.allSatisfy { $0 == 0 })
        }
        for count in [0, 1_025, 1_000_000] {
            var bytes = [UInt8](repeating: 9, count: count)
            #expect(refusal { _ = try StoreSecret(passphrase: &bytes) } == .invalidArgument)
            #expect(bytes.allSatisfy { $0 == 0 })
        }
        var control = Array("\u{0}\u{1}\n\u{7F}".utf8)
        #expect(try StoreSecret(passphrase: &control).recoveryText() == nil)
        #expect(try StoreSecret.random().recoveryText()?.count == 64)
    }

    @Test("providers without a secret, and with a wrong one, are errors of the opening")
    func providers() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(10)
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        defer { store.close() }
        let long = String(repeating: "a", count: 100_000)
        for path in ["", "/", "/does/not/exist", "a\0b", test.path, long] {
            #expect(kind { _ = try answer(KeyFile(path), of: store) } != nil, "\(path.prefix(20))")
            #expect(refusal { try KeyFile.create(at: path) } != nil, "\(path.prefix(20))")
        }
        let file = test.directory.file("key")
        #expect(try answer(KeyFile.create(at: file), of: store) != nil)
        #expect(refusal { try KeyFile.create(at: file) } == .inputOutput)
        for text in ["", "kymograph-key-1 short\n", String(repeating: "x", count: 2_000)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            #expect(kind { _ = try answer(KeyFile(file), of: store) } == .invalidArgument)
        }
        for name in ["", "a/b", "..", long] {
            let credential = SystemdCredential(name, directory: test.directory.path)
            let found = kind { _ = try answer(credential, of: store) }
            #expect(found == .invalidArgument || found == .inputOutput)
        }
        #expect(kind { _ = try answer(SystemdCredential("kymograph", directory: "/nowhere"), of: store) } == .needsKey)
        for words in [[], [""], ["/does/not/exist"], ["false"], ["a\0b"], ["head", "-c", "5000", "/dev/zero"]] {
            #expect(kind { _ = try answer(KeyCommand(words, seconds: .min), of: store) } == .inputOutput)
        }
        #expect(try answer(KeyOnce(EncryptedScratch.secret(1)), of: store) != nil)
        #expect(kind { _ = try answer(EnvironmentKey(), of: store) } == .needsKey)
    }

    @Test("slots: labels, kinds, the last one, and a changed secret")
    func slots() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(10)
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        let keys = try #require(store.keys)
        let second = try EncryptedScratch.secret(2)
        for label in ["", "key file", "a\"b", "a\nb", "a\u{2028}b", String(repeating: "a", count: 65)] {
            #expect(kind { try keys.add(second, label: label) } == .invalidArgument, "\(label)")
        }
        var words = Array("horse".utf8)
        let passphrase = try StoreSecret(passphrase: &words)
        #expect(kind { try keys.add(passphrase, label: "x", isRecovery: true) } == .invalidArgument)
        #expect(kind { try keys.remove("x") } == .invalidArgument)
        #expect(kind { try keys.remove("key file") } == .invalidArgument)
        #expect(kind { try keys.replace("x", with: second) } == .invalidArgument)
        #expect(kind { try keys.replace("key file", with: passphrase) } == .invalidArgument)
        try keys.add(second, label: "é, second")
        #expect(keys.slots.map(\.label) == ["key file", "é, second"] && keys.slots.map(\.kind) == [.file, .file])
        try keys.replace("key file", with: EncryptedScratch.secret(3))
        try keys.remove("é, second")
        store.close()
        #expect(kind { try keys.remove("key file") } == .closed)
        for byte: UInt8 in [1, 2] {
            let options = try test.options(EncryptedScratch.secret(byte))
            #expect(kind { _ = try TimeSeriesStore.open(at: test.path, options: options) } == .wrongKey)
        }
        try TimeSeriesStore.open(at: test.path, options: test.options(EncryptedScratch.secret(3))).close()
        // Each copy of KEYS from before opens with its secret only; the number of slots is bounded.
        let reader = try TimeSeriesStore.open(
            at: test.path, mode: .readOnly, options: test.options(EncryptedScratch.secret(3)))
        #expect(kind { try reader.keys?.add(second, label: "x") } == .readOnly)
        reader.close()
    }

    @Test("exported keys restore a store without KEYS, with its secret, and replace no newer ones")
    func exports() throws {
        let (test, other) = (try EncryptedScratch(), try EncryptedScratch())
        _ = try test.fill(10)
        _ = try other.fill(10)
        let (file, wrong) = (test.directory.file("exported"), test.directory.file("other"))
        try TimeSeriesStore.exportKeys(of: test.path, to: file)
        try TimeSeriesStore.exportKeys(of: other.path, to: wrong)
        #expect(kind { try TimeSeriesStore.exportKeys(of: test.path, to: file) } == .inputOutput)
        #expect(kind { try TimeSeriesStore.exportKeys(of: test.directory.file("no"), to: file + "2") } == .notEncrypted)
        for name in ["KEYS", "KEYS.2"] { try Data("x".utf8).write(to: URL(fileURLWithPath: test.path + "/" + name)) }
        #expect(kind { try TimeSeriesStore.exportKeys(of: test.path, to: file + "2") } == .corrupt)
        #expect(kind { _ = try TimeSeriesStore.open(at: test.path, options: test.options()) } == .corrupt)
        let options = test.options()
        #expect(
            kind { try TimeSeriesStore.restoreKeys(of: test.path, from: file, options: test.plainOptions()) }
                == .needsKey)
        #expect(
            kind {
                try TimeSeriesStore.restoreKeys(
                    of: test.path, from: file, options: test.options(EncryptedScratch.secret(2)))
            } == .wrongKey)
        try TimeSeriesStore.restoreKeys(of: test.path, from: file, options: options)
        let store = try TimeSeriesStore.open(at: test.path, options: options)
        try store.keys?.add(EncryptedScratch.secret(5), label: "five")
        store.close()
        for source in [file, wrong] {
            #expect(
                kind { try TimeSeriesStore.restoreKeys(of: test.path, from: source, options: options) }
                    == .invalidArgument)
        }
        #expect(kind { try TimeSeriesStore.restoreKeys(of: test.path, from: "/nowhere", options: options) } != nil)
    }

    @Test("copies with other keys: places that are taken, stores that are not encrypted, damaged stores")
    func copies() throws {
        let test = try EncryptedScratch()
        _ = try test.fill(100)
        let key = KeyOnce(try EncryptedScratch.secret(4))
        let none = test.directory.file("none")
        #expect(kind { try TimeSeriesStore.encrypt(from: none, to: none + "2", key: key) } == .notAStore)
        #expect(kind { try TimeSeriesStore.decrypt(from: none, to: none + "2") } == .notEncrypted)
        #expect(
            kind { try TimeSeriesStore.encrypt(from: test.path, to: test.path, key: key, options: test.options()) }
                == .invalidArgument)
        #expect(
            kind { try TimeSeriesStore.encrypt(from: test.path, to: none, key: key, options: test.plainOptions()) }
                == .needsKey)
        #expect(
            kind { try TimeSeriesStore.decrypt(from: test.path, to: none, options: test.plainOptions()) } == .needsKey)
        #expect(!FileManager.default.fileExists(atPath: none))
        let segments = test.path + "/segments"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: segments + "/" + name))
        bytes[200] ^= 1
        try bytes.write(to: URL(fileURLWithPath: segments + "/" + name))
        #expect(
            kind { try TimeSeriesStore.encrypt(from: test.path, to: none, key: key, options: test.options()) }
                == .corrupt)
        #expect(!FileManager.default.fileExists(atPath: none))
    }
}
