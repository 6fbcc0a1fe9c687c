package io.github.rpcrdma4j.dissect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The judgement of arguments or results by the binding of their program.
 *
 * @param findings the faults
 * @param notJudged why there was no look at all of it; empty if all was judged
 */
record Judgement(List<Finding> findings, Optional<String> notJudged) {
    /** There is no fault. */
    static final Judgement RIGHT = new Judgement(List.of(), Optional.empty());

    Judgement {
        findings = List.copyOf(findings);
    }

    static Judgement of(List<Finding> findings) {
        return new Judgement(findings, Optional.empty());
    }

    static Judgement wrong(Finding finding) {
        return of(List.of(finding));
    }

    static Judgement notJudged(String why) {
        return new Judgement(List.of(), Optional.of(why));
    }

    /** Returns this judgement with further faults. */
    Judgement with(List<Finding> more) {
        var all = new ArrayList<>(findings);
        all.addAll(more);
        return new Judgement(all, notJudged);
    }

    /** Returns this judgement with the reason why the rest was not judged. */
    Judgement without(String why) {
        return new Judgement(findings, Optional.of(why));
    }
}
