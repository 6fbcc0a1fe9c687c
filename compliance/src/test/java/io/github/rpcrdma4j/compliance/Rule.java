package io.github.rpcrdma4j.compliance;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a document asks of somebody, as a row of its ledger.
 *
 * @param id document, section and number: {@code 8166-4.2.1-1}
 * @param who has to obey it
 * @param requirement in our own words
 * @param status what became of it here
 */
record Rule(String id, Level level, String who, String requirement, Status status) {
    /** Documents that are no RFCs: version 2, and its extensions. */
    static final List<String> DRAFTS = List.of("V2", "XCH", "RTR", "RPR");

    /** How strongly it is asked for. */
    enum Level {
        MUST,
        MUST_NOT,
        REQUIRED,
        SHOULD,
        SHOULD_NOT,
        MAY,
        /** Our own decision, where the text is silent or contradicts itself. */
        DECIDED,
        /** Behaviour that the text describes without a key word. */
        DESCRIBED;

        /** The word in ledgers and on the page. */
        String words() {
            return name().replace('_', ' ');
        }

        static Optional<Level> of(String words) {
            return Arrays.stream(values()).filter(level -> level.words().equals(words)).findFirst();
        }

        /** Whether an implementation that ignores it does not conform. */
        boolean isBinding() {
            return this == MUST || this == MUST_NOT || this == REQUIRED || this == DECIDED;
        }

        /** Whether it is one to be ignored for good reasons only. */
        boolean isAdvice() {
            return this == SHOULD || this == SHOULD_NOT;
        }

        /** Whether code has to cite it; a test that passed is needed for every level. */
        boolean needsCitation() {
            return this != DESCRIBED;
        }
    }

    /** What became of a rule. */
    sealed interface Status {
        /** The code obeys it. */
        record Implemented() implements Status {}

        /** It is not obeyed, or nothing here could obey it. */
        record Exception(String reason) implements Status {}

        /**
         * It belongs to a feature that is still to be built.
         *
         * @param today what holds until then; may be empty
         */
        record Planned(String feature, String today) implements Status {}

        Status IMPLEMENTED = new Implemented();

        static Optional<Status> of(String words) {
            if (words.equals("implemented")) {
                return Optional.of(IMPLEMENTED);
            }
            if (words.startsWith("exception: ") && words.length() > "exception: ".length()) {
                return Optional.of(new Exception(words.substring("exception: ".length())));
            }
            if (words.startsWith("planned: ") && words.length() > "planned: ".length()) {
                var parts = words.substring("planned: ".length()).split("; ", 2);
                return Optional.of(new Planned(parts[0], parts.length == 1 ? "" : parts[1]));
            }
            return Optional.empty();
        }
    }

    /** The document: 8166, RTR. */
    String document() {
        return id.substring(0, id.indexOf('-'));
    }

    /** What a document is called: RFC 8166. */
    static String title(String document) {
        return DRAFTS.contains(document) ? document : "RFC " + document;
    }

    boolean waitsFor(String feature) {
        return status instanceof Status.Planned(var waited, _) && waited.equals(feature);
    }

    boolean isImplemented() {
        return status instanceof Status.Implemented;
    }
}
