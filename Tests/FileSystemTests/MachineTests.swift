// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Testing

@Suite("B-4 machine, clocks and environment")
struct MachineTests {
    @Test("Clocks agree with Foundation's, and the monotonic clock never goes back")
    func clocks() {
        let before = Date().timeIntervalSince1970
        let wall = Double(SystemClock.wallNanoseconds()) / 1e9
        #expect(wall >= before - 0.001 && wall <= Date().timeIntervalSince1970 + 0.001)
        var last = SystemClock.monotonicNanoseconds()
        for _ in 0..<1000 {
            let now = SystemClock.monotonicNanoseconds()
            #expect(now >= last)
            last = now
        }
        #expect(SystemClock.processorNanoseconds() > 0)
    }

    @Test("Random bytes have the requested length and do not repeat")
    func random() throws {
        #expect(try SystemRandom.bytes(0).isEmpty && SystemRandom.bytes(-1).isEmpty)
        let draws = try (0..<50).map { _ in try SystemRandom.bytes(16) }
        #expect(draws.allSatisfy { $0.count == 16 } && Set(draws).count == 50)
        let many = try SystemRandom.bytes(100_000)
        #expect(Set(many).count == 256)
    }

    @Test("The description of the machine is plausible")
    func machine() throws {
        #expect(
            Machine.processorCount() == ProcessInfo.processInfo.activeProcessorCount || Machine.processorCount() > 0)
        #expect(Machine.memoryBytes() == ProcessInfo.processInfo.physicalMemory)
        #expect(Machine.pageSize() == Int(sysconf(Int32(_SC_PAGESIZE))))
        #expect(Machine.kernel().hasPrefix("Linux ") && !Machine.processorModel().isEmpty)
        #expect(!Machine.operatingSystem().isEmpty && !Machine.operatingSystem().contains("\""))
        let usage = Machine.usage()
        #expect(usage.userNanoseconds > 0 && usage.peakResidentBytes > 1 << 20)
        #expect(Machine.residentBytes() > 1 << 20 && Machine.residentBytes() <= usage.peakResidentBytes * 2)
    }

    @Test("Environment variables and terminal properties are read")
    func environment() async {
        #expect(Environment.value("KYMOGRAPH_SURELY_UNSET") == nil)
        #expect(Environment.value("PATH") == ProcessInfo.processInfo.environment["PATH"])
        #expect(Environment.processIdentifier == ProcessInfo.processInfo.processIdentifier)
        #expect(!Environment.timeZoneIdentifier().isEmpty)
        await #expect(processExitsWith: .success) {
            unsafe setenv("TZ", ":Europe/Berlin", 1)
            if Environment.timeZoneIdentifier() != "Europe/Berlin" { exit(2) }
            unsafe setenv("TZ", "/usr/share/zoneinfo/Asia/Tokyo", 1)
            if Environment.timeZoneIdentifier() != "Asia/Tokyo" { exit(3) }
            let null = unsafe open("/dev/null", O_RDWR)
            dup2(null, 1)
            unsafe setenv("COLUMNS", "123", 1)
            if Terminal.columns(.output) != 123 || Terminal.isTerminal(.output) || Terminal.allowsColor() { exit(4) }
            unsafe setenv("COLUMNS", "-5", 1)
            if Terminal.columns(.output) != 80 { exit(5) }
        }
    }
}
