// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("S-30 S-31 S-33 S-34 S-35 provenance of objects")
struct ProvenanceTests {
    private let runner = HKSource(name: "Runner", bundleIdentifier: "com.example.runner")
    private let system = OperatingSystemVersion(majorVersion: 17, minorVersion: 2, patchVersion: 1)

    @Test("sources are equal by bundle identifier")
    func sources() {
        #expect(runner == HKSource(name: "Another name", bundleIdentifier: "com.example.runner"))
        #expect(runner.hash == HKSource(name: "Another name", bundleIdentifier: "com.example.runner").hash)
        #expect(runner != HKSource(name: "Runner", bundleIdentifier: "com.example.walker"))
        #expect(HKSource.default() == HKSource.default() && !HKSource.default().name.isEmpty)
        #expect(!HKSource.default().bundleIdentifier.isEmpty)
    }

    @Test("revisions are equal if all properties are, and a missing version equals no other version")
    func revisions() {
        let revision = HKSourceRevision(
            source: runner, version: "1.0", productType: "iPhone14,5", operatingSystemVersion: system)
        #expect(
            revision
                == HKSourceRevision(
                    source: runner, version: "1.0", productType: "iPhone14,5", operatingSystemVersion: system))
        let others = [
            HKSourceRevision(
                source: .default(), version: "1.0", productType: "iPhone14,5", operatingSystemVersion: system),
            HKSourceRevision(source: runner, version: nil, productType: "iPhone14,5", operatingSystemVersion: system),
            HKSourceRevision(source: runner, version: "1.0", productType: nil, operatingSystemVersion: system),
            HKSourceRevision(source: runner, version: "1.0"),
        ]
        for other in others { #expect(revision != other, "\(other)") }
        #expect(Set(others + [revision]).count == 5)
        #expect(others[3].productType == HKSourceRevisionAnyProductType)
        #expect(others[3].operatingSystemVersion.majorVersion == HKSourceRevisionAnyOperatingSystem.majorVersion)
    }

    @Test("the constants for any version, product and system match every revision")
    func anyRevision() {
        let revision = HKSourceRevision(
            source: runner, version: "1.0", productType: "iPhone14,5", operatingSystemVersion: system)
        #expect(HKSourceRevision(source: runner, version: "1.0").matches(revision))
        #expect(HKSourceRevision(source: runner, version: HKSourceRevisionAnyVersion).matches(revision))
        #expect(!HKSourceRevision(source: runner, version: "1.1").matches(revision))
        #expect(!HKSourceRevision(source: runner, version: nil).matches(revision))
        #expect(!HKSourceRevision(source: .default(), version: HKSourceRevisionAnyVersion).matches(revision))
        let exact = HKSourceRevision(
            source: runner, version: "1.0", productType: "Watch6,2",
            operatingSystemVersion: HKSourceRevisionAnyOperatingSystem)
        #expect(!exact.matches(revision))
    }

    @Test("devices are equal if all properties are")
    func devices() {
        func device(_ at: Int? = nil) -> HKDevice {
            let texts: [String?] = (0..<8).map { (number: Int) -> String? in number == at ? nil : "text \(number)" }
            return HKDevice(
                name: texts[0], manufacturer: texts[1], model: texts[2], hardwareVersion: texts[3],
                firmwareVersion: texts[4], softwareVersion: texts[5], localIdentifier: texts[6],
                udiDeviceIdentifier: texts[7])
        }
        #expect(device() == device() && device().hash == device().hash)
        for at in 0..<8 { #expect(device() != device(at) && device(at) == device(at)) }
        #expect(device().udiDeviceIdentifier == "text 7" && device().name == "text 0")
        #expect("\(device(0))".contains("manufacturer: text 1") && !"\(device(0))".contains("name"))
        #expect(HKDevicePropertyKeyName == "name" && HKDevicePropertyKeyUDIDeviceIdentifier == "UDIDeviceIdentifier")
    }

    @Test("the local device is this host")
    func local() {
        #expect(HKDevice.local().name == ProcessInfo.processInfo.hostName)
        #expect(HKDevice.local().model == "Linux")
        #expect(HKDevice.local().softwareVersion == ProcessInfo.processInfo.operatingSystemVersionString)
        #expect(HKDevice.local() == HKDevice.local())
    }
}
