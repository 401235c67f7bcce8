// SPDX-License-Identifier: Apache-2.0

/// The pages that hold the rest of long rows. Each is followed once, whatever leads to it, and each chain has one row:
/// so no file costs more than a few times its pages.
struct OverflowChains {
    /// What follows from a page on, itself included.
    enum Rest: Equatable {
        /// So many pages, and the last of them.
        case whole(pages: Int, last: UInt32)
        /// So many sound pages before one that cannot be read; nil where the pages lead in a circle.
        case broken(pages: Int, blame: UInt32?)
    }

    /// A row's place.
    private struct Owner: Equatable {
        let page: UInt32
        let at: Int
    }

    private var rests: [UInt32: Rest] = [:]
    /// Rows by the last page of their chains: two chains that share any page share that.
    private var owners: [UInt32: Owner] = [:]

    /// What follows from a page on.
    ///
    /// - Parameter next: the page behind one; nil where that cannot be read.
    mutating func rest(from first: UInt32, next: (UInt32) -> UInt32?) -> Rest {
        var walked: [UInt32] = []
        var isWalked: Set<UInt32> = []
        var page = first
        var rest: Rest?
        while rest == nil {
            if let known = rests[page] {
                rest = known
            } else if isWalked.contains(page) {
                rest = .broken(pages: 0, blame: nil)
            } else if let behind = next(page) {
                walked.append(page)
                isWalked.insert(page)
                if behind == 0 { rest = .whole(pages: 0, last: page) }
                page = behind
            } else {
                rest = .broken(pages: 0, blame: page)
            }
        }
        var found = rest ?? .broken(pages: 0, blame: nil)
        for page in walked.reversed() {
            switch found {
            case .whole(let pages, let last): found = .whole(pages: pages + 1, last: last)
            case .broken(let pages, let blame): found = .broken(pages: pages + 1, blame: blame)
            }
            rests[page] = found
        }
        return found
    }

    /// Whether a row is the first that claims a chain.
    mutating func claim(_ last: UInt32, by page: UInt32, at place: Int) -> Bool {
        let owner = Owner(page: page, at: place)
        if let known = owners[last] { return known == owner }
        owners[last] = owner
        return true
    }
}

extension PageFile {
    /// The whole record of a cell. Of one that cannot be read, the page that is to blame where one is.
    func record(_ cell: TreePage.Cell, of page: TreePage) -> (bytes: [UInt8]?, blame: UInt32?) {
        var bytes = Array(page.bytes[cell.local])
        let most = TreePage.usable - 4
        let wanted = (cell.payload - bytes.count + most - 1) / most
        if wanted == 0 { return (bytes, nil) }
        let rest = chains.rest(from: cell.overflow) { number in
            number > 1 && number <= count ? self.page(number).map { TreePage.number($0, 0) } : nil
        }
        switch rest {
        case .broken(let pages, let blame): return (nil, pages < wanted ? blame : nil)
        case .whole(let pages, let last):
            guard pages == wanted, chains.claim(last, by: page.number, at: cell.local.lowerBound) else {
                return (nil, nil)
            }
        }
        bytes.reserveCapacity(cell.payload)
        var next = cell.overflow
        while bytes.count < cell.payload {
            guard let more = self.page(next) else { return (nil, next) }
            bytes += more[4..<4 + min(cell.payload - bytes.count, most)]
            next = TreePage.number(more, 0)
        }
        return (bytes, nil)
    }
}
