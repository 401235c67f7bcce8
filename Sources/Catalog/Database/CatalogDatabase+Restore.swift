// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRDB

extension CatalogDatabase {
    /// Puts everything that an image holds into a new, empty catalog, in one transaction, so that it knows the image's
    /// last commit. `extra` runs last inside it.
    package func restore(
        _ image: CatalogImage, extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(CatalogError) {
        guard image.seq > 0 || !image.history.isEmpty else { return }
        try commit(CatalogCommit(seq: 1, series: image.series, segments: image.segments)) { transaction in
            for row in image.tail {
                try transaction.run("INSERT INTO tail(seq,body)VALUES(?,?)", [row.seq, Data(row.body)])
            }
            try self.restore(image.deletions, transaction)
            try self.restore(image.history, transaction)
            try extra?(transaction)
            try transaction.run("UPDATE meta SET commit_seq=? WHERE id=1", [image.seq])
            // What the log begins with next follows this one.
            transaction.database.setPageSequence(max(1, image.seq))
        }
    }
}
