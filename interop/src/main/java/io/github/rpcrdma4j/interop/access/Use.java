package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import java.util.List;
import java.util.Locale;

/** A use of the open file {@code f}, for products of ways to open and uses. */
enum Use {
    READ,
    WRITE,
    TRUNCATE,
    READ_PLUS,
    SEEK,
    ALLOCATE,
    DEALLOCATE,
    COMMIT,
    COPY_FROM,
    COPY_TO,
    CLONE_FROM,
    CLONE_TO,
    LOCK,
    LOCKT,
    DOWNGRADE,
    CLOSE;

    /** A second file, which everybody may read and write. */
    static final CaseFile TARGET = CaseFile.file("g", 0666);

    /** The uses that depend on what the file's mode allows at the time of the use. */
    static final List<Use> OF_CONTENT =
            List.of(
                    READ,
                    WRITE,
                    TRUNCATE,
                    READ_PLUS,
                    SEEK,
                    ALLOCATE,
                    DEALLOCATE,
                    COMMIT,
                    COPY_FROM,
                    COPY_TO,
                    CLONE_FROM,
                    CLONE_TO,
                    LOCK,
                    LOCKT);

    String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /**
     * Returns the steps of the use.
     *
     * @param held the stateid of {@code f}
     */
    List<Step> steps(Held held) {
        return switch (this) {
            case READ -> List.of(Steps.read("f", held));
            case WRITE -> List.of(Steps.write("f", held));
            case TRUNCATE -> List.of(Steps.truncate("f", held));
            case READ_PLUS -> List.of(Steps.readPlus("f", held));
            case SEEK -> List.of(Steps.seek("f", held));
            case ALLOCATE -> List.of(Steps.allocate("f", held));
            case DEALLOCATE -> List.of(Steps.deallocate("f", held));
            case COMMIT -> List.of(Steps.commit("f"));
            case COPY_FROM -> List.of(target(held), Steps.copy("f", held, "g", Held.SECOND));
            case COPY_TO -> List.of(target(held), Steps.copy("g", Held.SECOND, "f", held));
            case CLONE_FROM -> List.of(target(held), Steps.cloned("f", held, "g", Held.SECOND));
            case CLONE_TO -> List.of(target(held), Steps.cloned("g", Held.SECOND, "f", held));
            case LOCK -> List.of(Steps.lock("f", LockType.WRITE));
            case LOCKT -> List.of(Steps.locked("f", LockType.WRITE));
            case DOWNGRADE -> List.of(Steps.downgrade("f", Opening.READ));
            case CLOSE -> List.of(Steps.close("f"));
        };
    }

    private static Step target(Held held) {
        var opening = Opening.of("g", Opening.BOTH).second();
        return (held == Held.DELEGATION ? opening.declining() : opening).step();
    }

    /** Returns the files of a case with this use of {@code f}. */
    CaseFile[] files(CaseFile f) {
        return switch (this) {
            case COPY_FROM, COPY_TO, CLONE_FROM, CLONE_TO -> new CaseFile[] {f, TARGET};
            case READ,
                    WRITE,
                    TRUNCATE,
                    READ_PLUS,
                    SEEK,
                    ALLOCATE,
                    DEALLOCATE,
                    COMMIT,
                    LOCK,
                    LOCKT,
                    DOWNGRADE,
                    CLOSE ->
                    new CaseFile[] {f};
        };
    }
}
