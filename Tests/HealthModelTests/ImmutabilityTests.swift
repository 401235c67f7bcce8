// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The compiler does not check classes marked `@unchecked Sendable`; this test reads their source.
@Suite("S-29 objects and types never change")
struct ImmutabilityTests {
    @Test("a class marked @unchecked Sendable has only constant stored properties")
    func constants() throws {
        let folder = Tables.root.appendingPathComponent("Sources/HealthModel")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var marked = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("class"), text.contains("@unchecked Sendable {") else { continue }
            marked += 1
            // HealthKit's only mutable object: builders and sessions copy it.
            if file.lastPathComponent == "HKWorkoutConfiguration.swift" { continue }
            var inClass = false
            for line in text.split(separator: "\n") where !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
                if !line.hasPrefix(" "), line.hasSuffix("{") { inClass = line.contains("class ") }
                let isMember = line.hasPrefix("    ") && !line.hasPrefix("     ")
                let isStored = line.contains(" var ") && !line.hasSuffix("{") && !line.hasSuffix("}")
                #expect(!(inClass && isMember && isStored), "\(file.lastPathComponent): \(line)")
                #expect(!line.contains("lazy var"), "\(file.lastPathComponent): \(line)")
                // Tests of programs subclass queries and the objects of characteristics, as with HealthKit.
                let isOpen = line.hasPrefix("open class") && !line.contains("class HKQuery:")
                let isOfPerson = file.lastPathComponent == "CharacteristicObjects.swift"
                #expect(!isOpen || isOfPerson, "subclasses could add variables: \(line)")
            }
        }
        #expect(marked >= 5)
    }
}
