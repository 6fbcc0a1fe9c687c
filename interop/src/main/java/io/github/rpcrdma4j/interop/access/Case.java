package io.github.rpcrdma4j.interop.access;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One request of one caller on prepared files.
 *
 * @param id {@code group/words}, unique among all cases
 * @param files the files before the call: first the directory of the case, and every directory
 *     before its entries
 */
record Case(String id, Exported export, Caller caller, List<CaseFile> files, Request request) {
    private static final CaseFile DIRECTORY = CaseFile.directory(".", 0, 0, 0777);

    Case {
        files = List.copyOf(files);
    }

    /**
     * Returns a case whose directory belongs to root and has mode 0777, unless the files say
     * otherwise.
     */
    static Case of(
            String id, Exported export, Caller caller, Request request, List<CaseFile> files) {
        if (!files.isEmpty() && files.getFirst().path().equals(".")) {
            return new Case(id, export, caller, files, request);
        }
        var all = new ArrayList<CaseFile>();
        all.add(DIRECTORY);
        all.addAll(files);
        return new Case(id, export, caller, all, request);
    }

    String group() {
        return id.substring(0, id.indexOf('/'));
    }

    /** Returns everything but the outcome, for a line of the table. */
    String words() {
        return "%s | %s | %s | %s"
                .formatted(
                        caller.words(),
                        export.directory(),
                        request.words(),
                        files.stream().map(CaseFile::words).collect(Collectors.joining("; ")));
    }
}
