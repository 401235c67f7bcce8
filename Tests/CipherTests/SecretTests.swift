// SPDX-License-Identifier: Apache-2.0

import Cipher
import FileSystem
import TestSupport
import Testing

@Suite("E-21 encryption: secrets and where they come from")
struct SecretTests {
    private func kind(_ body: () throws -> Void) -> CipherError.Kind? {
        do { try body() } catch { return (error as? CipherError)?.kind }
        return nil
    }

    private func request() throws -> KeyRequest { KeyRequest(try KeySamples.full().image, path: "store") }

    @Test("A recovery key is 13 groups of four letters, and is read in any case, with spaces, and with O, I and L")
    func recovery() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            let bytes = random.bytes(32)
            let text = try KeyText.recovery(secret(bytes))
            let groups = text.split(separator: "-")
            #expect(groups.count == 13 && groups.allSatisfy { $0.count == 4 })
            let forms = [
                text, text.lowercased(), groups.joined(), groups.joined(separator: " ") + "\n",
                text.replacing("0", with: "o").replacing("1", with: "l"), text.replacing("1", with: "I"),
            ]
            for form in forms { #expect(try KeyText.key(recovery: form.utf8)?.equals(bytes) == true) }
        }
        #expect(throws: CipherError.self) { try KeyText.recovery(secret([1, 2])) }
    }

    @Test("A mistyped letter of a recovery key is found in most cases by its check, and always by the slot")
    func mistyped() throws {
        let key = try SecretBytes(random: 32)
        let slot = KeyRing.NewSlot(try StoreSecret(key: key), kind: .recovery, label: "paper")
        let image = try KeyRing.create(store: KeySamples.store, slot: slot, day: "2026-11-24").image
        let text = Array(try KeyText.recovery(key).utf8)
        var refused = 0
        for place in text.indices where text[place] != UInt8(ascii: "-") {
            var changed = text
            changed[place] = changed[place] == UInt8(ascii: "7") ? UInt8(ascii: "8") : UInt8(ascii: "7")
            guard let wrong = try KeyText.key(recovery: changed) else {
                refused += 1
                continue
            }
            #expect(kind { _ = try KeyRing.open(image, with: StoreSecret(key: wrong)) } == .wrongKey)
        }
        #expect(refused > 40)
        for bad in [
            "", "1234", String(decoding: text.dropLast(), as: UTF8.self), String(decoding: text, as: UTF8.self) + "0",
        ] {
            #expect(try KeyText.key(recovery: bad.utf8) == nil)
        }
    }

    @Test("The content of a file is a key, a recovery key or a passphrase")
    func content() throws {
        let key = try SecretBytes(random: 32)
        let line = try KeyText.file(key)
        #expect(line.count == 61 && line.last == 10)
        for bytes in [line, Array(line.dropLast()), Array(try KeyText.recovery(key).utf8)] {
            let found = try StoreSecret(content: secret(bytes))
            #expect(try !found.isPassphrase && found.key?.isEqual(key) == true)
        }
        for text in ["a", "correct horse", " spaces ", "kymograph"] {
            let found = try StoreSecret(content: secret(Array((text + "\n").utf8)))
            #expect(found.isPassphrase && found.key == nil)
        }
        let image = try KeySamples.full().image
        #expect(throws: Never.self) {
            try KeyRing.open(image, with: StoreSecret(content: secret(Array("correct horse\n".utf8))))
        }
        let refused = ["", "\n", "kymograph-key-1 AAAA\n", String(repeating: "x", count: 1_025)].map { Array($0.utf8) }
        for bytes in refused + [line + line, Array(line[..<40])] {
            #expect(kind { _ = try StoreSecret(content: secret(bytes)) } == .invalidArgument)
        }
        var long = [UInt8](repeating: 1, count: 1_025)
        #expect(kind { _ = try StoreSecret(passphrase: &long) } == .invalidArgument)
        #expect(long.allSatisfy { $0 == 0 })
        #expect(kind { _ = try StoreSecret(key: secret([1])) } == .invalidArgument)
    }

    @Test("A key file, and a credential of systemd")
    func files() throws {
        let directory = try TemporaryDirectory()
        let key = try SecretBytes(random: 32)
        try RealDisk().createFile(directory.file("key"), KeyText.file(key))
        #expect(try KeyFile(directory.file("key")).secret(for: request())?.key?.isEqual(key) == true)
        #expect(kind { _ = try KeyFile(directory.file("none")).secret(for: request()) } == .inputOutput)
        try RealDisk().createFile(directory.file("long"), [UInt8](repeating: 65, count: 5_000))
        #expect(kind { _ = try KeyFile(directory.file("long")).secret(for: request()) } == .inputOutput)
        let credential = SystemdCredential("key", directory: directory.path)
        #expect(try credential.secret(for: request())?.key?.isEqual(key) == true)
        #expect(try SystemdCredential("none", directory: directory.path).secret(for: request()) == nil)
        #expect(try SystemdCredential("key", directory: nil).secret(for: request()) == nil)
        for name in ["", ".", "..", "a/b", "/etc/passwd"] {
            let credential = SystemdCredential(name, directory: directory.path)
            #expect(kind { _ = try credential.secret(for: request()) } == .invalidArgument)
        }
    }

    @Test("A program prints the secret; a failing, slow, missing or talkative one is an error")
    func commands() throws {
        let found = try KeyCommand(["echo", "correct horse"]).secret(for: request())
        #expect(throws: Never.self) { try KeyRing.open(KeySamples.full().image, with: #require(found)) }
        let refused = [
            ["false"], ["sleep", "20"], ["/does/not/exist"], ["head", "-c", "5000", "/dev/zero"], [], [""], ["a\0b"],
            ["sh", "-c", "echo x; kill -9 $$"],
        ]
        for arguments in refused {
            #expect(kind { _ = try KeyCommand(arguments, seconds: 1).secret(for: request()) } == .inputOutput)
        }
        #expect(kind { _ = try KeyCommand(["true"]).secret(for: request()) } == .invalidArgument)
        // The arguments are not those of a shell.
        #expect(try KeyCommand(["echo", "$HOME;", "false"]).secret(for: request())?.isPassphrase == true)
    }

    @Test("A passphrase is derived once for each salt and cost, for up to 32 slots")
    func derivedOnce() throws {
        var (text, same) = (Array("correct horse".utf8), Array("correct horse".utf8))
        let secret = try StoreSecret(passphrase: &text)
        let first = try secret.derivedKey(salt: [1], .least)
        #expect(try secret.derivedKey(salt: [1], .least) === first)
        let other = try StoreSecret(passphrase: &same).derivedKey(salt: [1], .least)
        #expect(try other !== first && other.isEqual(first))
        let salted = try secret.derivedKey(salt: [2], .least)
        let costly = try secret.derivedKey(salt: [1], ScryptCost(logN: 15))
        #expect(try !salted.isEqual(first) && !costly.isEqual(first))
        // The two others take places, too.
        for salt in 3..<UInt8(33) { _ = try secret.derivedKey(salt: [salt], .least) }
        #expect(try secret.derivedKey(salt: [2], .least) === salted)
        #expect(try secret.derivedKey(salt: [1], .least) !== first)
    }

    @Test("A wrong key and forged keys name the store")
    func paths() throws {
        let image = try KeySamples.ring().image
        func error(_ image: KeysImage, _ secret: StoreSecret) -> CipherError? {
            do { _ = try KeyRing.open(image, path: "/place", provider: KeyOnce(secret)) } catch {
                return error
            }
            return nil
        }
        let wrong = try error(image, .random())
        #expect(wrong?.kind == .wrongKey && wrong?.path == "/place")
        var changed = image
        changed.number += 1
        let forged = try error(changed, KeySamples.key(1))
        #expect(forged?.kind == .forged && forged?.path == "/place")
    }

    @Test("Providers are asked again after a wrong key, and without a secret the store needs one")
    func attempts() throws {
        struct Third: KeyProvider {
            let count: Counter
            let attempts: Int
            func secret(for store: KeyRequest) throws(CipherError) -> StoreSecret? {
                _ = count.countDown()
                var ones = [UInt8](repeating: 1, count: 32)
                return store.attempt < 3 ? try .random() : try StoreSecret(key: SecretBytes(wiping: &ones))
            }
        }
        let image = try KeySamples.ring().image
        let count = Counter(3)
        _ = try KeyRing.open(image, path: "s", provider: Third(count: count, attempts: 3))
        #expect(count.countDown() == -1)
        #expect(
            kind { _ = try KeyRing.open(image, path: "s", provider: Third(count: count, attempts: 2)) } == .wrongKey)
        let error = #expect(throws: CipherError.self) { try KeyRing.open(image, path: "s", provider: nil) }
        #expect(error?.kind == .needsKey && error?.message.contains("one") == true)
        let once = KeyOnce(try KeySamples.key(1))
        #expect(throws: Never.self) { try KeyRing.open(image, path: "s", provider: once) }
        #expect(kind { _ = try KeyRing.open(image, path: "s", provider: KeyOnce(.random())) } == .wrongKey)
        struct None: KeyProvider {
            func secret(for store: KeyRequest) throws -> StoreSecret? { nil }
        }
        #expect(kind { _ = try KeyRing.open(image, path: "s", provider: None()) } == .needsKey)
        struct Failing: KeyProvider {
            struct Cancelled: Error {}
            func secret(for store: KeyRequest) throws -> StoreSecret? { throw Cancelled() }
        }
        #expect(kind { _ = try KeyRing.open(image, path: "s", provider: Failing()) } == .failed)
    }
}
