// SPDX-License-Identifier: Apache-2.0

import Cipher
import FileSystem
import TestSupport
import Testing

@Suite("E-21 encryption: the files KEYS and KEYS.2 on failing disks")
struct KeysFilesTests {
    /// The keys before and after a change of the only secret, from key 1 to key 2.
    private let old: KeyRing
    private let new: KeyRing

    init() throws {
        old = try KeySamples.ring()
        new = try old.replacing(KeySamples.file(2, "one"))
    }

    private func disk(_ first: KeysImage?, _ second: KeysImage?) -> MemoryDisk {
        var files: [String: [UInt8]] = [:]
        if let first { files["s/KEYS"] = first.encoded() }
        if let second { files["s/KEYS.2"] = second.encoded() }
        return MemoryDisk(directories: ["s"], files: files)
    }

    private func files(_ disk: any Disk) -> KeysFiles { KeysFiles(disk, "s") }

    private func kind(_ body: () throws -> Void) -> CipherError.Kind? {
        do { try body() } catch { return (error as? CipherError)?.kind }
        return nil
    }

    /// Whether a disk has keys that the old or the new secret opens; mends them, and changes them once more.
    private func isSound(_ disk: any Disk) throws -> Bool {
        guard let found = try files(disk).read() else { return false }
        guard found.image == old.image || found.image == new.image else { return false }
        let secret = try KeySamples.key(found.image == old.image ? 1 : 2)
        let ring = try KeyRing.open(found.image, with: secret)
        try files(disk).mend(found)
        guard try files(disk).read()?.outdated.isEmpty == true else { return false }
        let next = try ring.adding(KeySamples.file(3, "three"))
        try files(disk).write(next.image)
        guard let after = try files(disk).read(), after.outdated.isEmpty else { return false }
        return after.image == next.image
    }

    @Test("A new store has two equal files; a directory without them is not encrypted")
    func creation() throws {
        let disk = disk(nil, nil)
        #expect(try files(disk).read() == nil)
        try files(disk).write(old.image)
        #expect(disk.files["s/KEYS"] == old.image.encoded() && disk.files["s/KEYS.2"] == old.image.encoded())
        #expect(disk.files.count == 2)
    }

    @Test("The sound copy with the greater number counts, and the others are mended")
    func choice() throws {
        let cases: [(KeysImage?, KeysImage?, KeysImage, [String])] = [
            (old.image, old.image, old.image, []), (old.image, new.image, new.image, ["KEYS"]),
            (new.image, old.image, new.image, ["KEYS.2"]), (nil, old.image, old.image, ["KEYS"]),
            (old.image, nil, old.image, ["KEYS.2"]),
        ]
        for (first, second, expected, outdated) in cases {
            let disk = disk(first, second)
            let found = try #require(try files(disk).read())
            #expect(found.image == expected && found.outdated == outdated)
            try files(disk).mend(found)
            #expect(disk.files == self.disk(expected, expected).files)
        }
    }

    @Test("One damaged copy is mended, also an endless one; two are an error that is not a wrong key")
    func damage() throws {
        let sound = old.image.encoded()
        for bad in [[], Array(sound.dropLast()), sound + [0], [UInt8](repeating: 0, count: 1 << 20)] as [[UInt8]] {
            for name in ["KEYS", "KEYS.2"] {
                var all = ["s/KEYS": sound, "s/KEYS.2": sound]
                all["s/" + name] = bad
                let disk = MemoryDisk(directories: ["s"], files: all)
                let found = try #require(try files(disk).read())
                #expect(found.image == old.image && found.outdated == [name])
                #expect(try isSound(disk))
            }
            let both = MemoryDisk(directories: ["s"], files: ["s/KEYS": bad, "s/KEYS.2": bad])
            #expect(kind { _ = try files(both).read() } == .corrupt)
            let only = MemoryDisk(directories: ["s"], files: ["s/KEYS.2": bad])
            #expect(kind { _ = try files(only).read() } == .corrupt)
            #expect(kind { try files(both).write(new.image) } == .corrupt)
        }
    }

    @Test("A copy of a later format is refused and never replaced by an older one")
    func later() throws {
        let text = String(decoding: old.image.encoded().dropLast(13), as: UTF8.self)
        let changed = "kymograph keys 2" + text.dropFirst(16)
        let later = KeySamples.repaired(changed)
        for (first, second) in [(later, old.image.encoded()), (old.image.encoded(), later)] {
            let disk = MemoryDisk(directories: ["s"], files: ["s/KEYS": first, "s/KEYS.2": second])
            #expect(kind { _ = try files(disk).read() } == .newerFormat)
            #expect(kind { try files(disk).write(new.image) } == .newerFormat)
        }
    }

    @Test("A change that was made from older keys is refused")
    func race() throws {
        let disk = disk(new.image, new.image)
        let other = try old.adding(KeySamples.file(4, "four"))
        #expect(kind { try files(disk).write(other.image) } == .invalidArgument)
        #expect(disk.files == self.disk(new.image, new.image).files)
    }

    @Test("A power cut or a kill at each call of a change leaves keys that the old or the new secret opens")
    func crashes() throws {
        var outcomes: Set<Bool> = []
        var count = 0
        for stop in 0...40 {
            let disk = try FaultyDisk(self.disk(old.image, old.image))
            disk.stop(afterMutations: stop)
            let isDone = kind { try files(disk).write(new.image) } == nil
            for model in [CrashModel.any, .keepAll, .loseAll] {
                for seed in 0..<(model == .any ? 40 : 1) {
                    let found = try disk.crash(seed: UInt64(seed), model)
                    let image = try files(found).read()?.image
                    #expect(image == new.image || image == old.image && !isDone, "\(stop), \(model), \(seed)")
                    outcomes.insert(image == new.image)
                    #expect(try isSound(found), "after \(stop) calls, \(model), seed \(seed)")
                    count += 1
                }
            }
            if isDone { break }
        }
        #expect(outcomes == [true, false] && count > 300)
    }

    @Test("A power cut while a copy is mended keeps the other copy")
    func crashesOfMending() throws {
        for damaged in [[7, 7], nil] as [[UInt8]?] {
            for stop in 0...20 {
                var all = ["s/KEYS.2": old.image.encoded()]
                all["s/KEYS"] = damaged
                let disk = try FaultyDisk(MemoryDisk(directories: ["s"], files: all))
                let found = try #require(try files(disk).read())
                disk.stop(afterMutations: stop)
                let isDone = kind { try files(disk).mend(found) } == nil
                for seed in 0..<40 { #expect(try isSound(disk.crash(seed: UInt64(seed)))) }
                if isDone { break }
            }
        }
    }

    @Test("An error of each call of a change, done or not, once or for ever, leaves sound keys, also after a power cut")
    func errors() throws {
        var count = 0
        for effect in [DiskFault.Effect.nothing, .part, .everything] {
            for forever in [false, true] {
                for nth in 1...80 {
                    let disk = try FaultyDisk(self.disk(old.image, old.image))
                    disk.inject(DiskFault(Set(DiskCallKind.allCases), nth: nth, forever: forever, effect: effect))
                    let isDone = kind { try files(disk).write(new.image) } == nil
                    disk.clearFaults()
                    for seed in 0..<6 { #expect(try isSound(disk.crash(seed: UInt64(seed))), "\(effect) \(nth)") }
                    let image = try files(disk).read()?.image
                    #expect(image == new.image || image == old.image && !isDone)
                    #expect(try isSound(disk), "\(effect), \(nth)")
                    count += 1
                    if isDone, nth > 40 { break }
                }
            }
        }
        #expect(count > 200)
    }

    @Test("A full disk keeps the old keys")
    func full() throws {
        let disk = try FaultyDisk(self.disk(old.image, old.image))
        disk.setCapacity(disk.usedBytes + 100)
        let error = #expect(throws: CipherError.self) { try files(disk).write(new.image) }
        #expect(error?.kind == .inputOutput && error?.disk?.isFull == true)
        disk.setCapacity(nil)
        #expect(try files(disk).read()?.image == old.image)
        #expect(try isSound(disk))
    }

    @Test("A call that fails for another reason than damage is no damage: nothing is replaced")
    func denied() throws {
        for name in ["KEYS", "KEYS.2"] {
            let disk = try FaultyDisk(self.disk(old.image, new.image))
            disk.inject(DiskFault([.open], pathSuffix: name, forever: true, errno: DiskError.denied))
            let error = #expect(throws: CipherError.self) { try files(disk).read() }
            #expect(error?.kind == .inputOutput && error?.disk?.isDenied == true)
        }
    }

    @Test("On the system's disk the files are private")
    func real() throws {
        let directory = try TemporaryDirectory()
        let files = KeysFiles(RealDisk(), directory.path)
        try files.write(old.image)
        try files.write(new.image)
        #expect(try RealDisk().list(directory.path) == ["KEYS", "KEYS.2"])
        #expect(try files.read()?.image == new.image)
    }
}
