// SPDX-License-Identifier: Apache-2.0

/// The targets of `Package.swift` and their declared dependencies, parsed from its text.
struct Manifest {
    struct Target: Equatable {
        let name: String
        let kind: String
        let dependencies: Set<String>
    }

    private(set) var targets: [Target] = []
    private let file: TextFile
    private let tokens: [Token]
    /// Products by the name of the constant that defines them: `grdb` is `GRDB`.
    private var constants: [String: String] = [:]

    /// Functions that create a target: the manifest's helpers, and SwiftPM's.
    private static let makers: Set<String> = [
        "room", "croom", "system", "program", "tests", "target", "executableTarget", "testTarget", "systemLibrary",
    ]

    init(_ file: TextFile) {
        self.file = file
        tokens = Scanner(file).tokens
        readConstants()
        readTargets()
    }

    private func string(_ i: Int) -> String? {
        guard i < tokens.count, tokens[i].kind == .string else { return nil }
        return String(decoding: file.bytes[tokens[i].range], as: UTF8.self)
    }

    /// Reads constants such as `let grdb: Target.Dependency = .product(name: "GRDB", ...)`.
    private mutating func readConstants() {
        for i in tokens.indices where tokens[i].text == "let" && i + 1 < tokens.count {
            let line = tokens[i...].prefix { $0.line <= tokens[i].line + 1 }
            guard let product = line.firstIndex(where: { $0.text == "product" }) else { continue }
            guard let name = line[product...].firstIndex(where: { $0.kind == .string }) else { continue }
            constants[tokens[i + 1].text] = string(name)
        }
    }

    private mutating func readTargets() {
        guard let start = tokens.indices.first(where: { isLabel("targets", $0) && $0 > productsEnd }) else { return }
        var i = start
        while i < tokens.count {
            defer { i += 1 }
            guard Manifest.makers.contains(tokens[i].text), i + 1 < tokens.count, tokens[i + 1].text == "(" else {
                continue
            }
            let end = closing(of: i + 1)
            if let target = target(kind: tokens[i].text, arguments: i + 2..<end) { targets.append(target) }
            i = end
        }
    }

    /// The end of the products. Targets come after them; products have a label `targets:` as well.
    private var productsEnd: Int {
        guard let products = tokens.indices.first(where: { isLabel("products", $0) }) else { return -1 }
        return closing(of: products + 2)
    }

    private func isLabel(_ name: String, _ i: Int) -> Bool {
        tokens[i].text == name && i + 1 < tokens.count && tokens[i + 1].text == ":"
    }

    /// Returns the index of the bracket that closes the bracket at `open`.
    private func closing(of open: Int) -> Int {
        var depth = 0
        for i in open..<tokens.count {
            if ["(", "[", "{"].contains(tokens[i].text) { depth += 1 }
            if [")", "]", "}"].contains(tokens[i].text) { depth -= 1 }
            if depth == 0 { return i }
        }
        return tokens.count - 1
    }

    private func target(kind: String, arguments: Range<Int>) -> Target? {
        guard let nameAt = arguments.first(where: { tokens[$0].kind == .string }), let name = string(nameAt) else {
            return nil
        }
        // The list is the argument with the label `dependencies`, or the first argument without a label.
        let labelled = arguments.first { isLabel("dependencies", $0) }.map { $0 + 2 }
        let bare = arguments.first { $0 > nameAt && tokens[$0].text == "[" && tokens[$0 - 1].text == "," }
        guard let open = labelled ?? bare else {
            return Target(name: name, kind: kind, dependencies: [])
        }
        var names: Set<String> = []
        for i in open..<closing(of: open) {
            if let text = string(i) { names.insert(text) }
            if let product = constants[tokens[i].text] { names.insert(product) }
        }
        return Target(name: name, kind: kind, dependencies: names)
    }
}
