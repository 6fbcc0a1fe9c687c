package io.github.rpcrdma4j.compliance;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A requirement of a document: a row of its ledger.
 *
 * @param id the document, section and number, such as {@code 8166-4.2.1-1}
 * @param who the role that has to obey the rule
 * @param requirement the requirement, in our own words
 * @param status whether this project obeys the rule
 */
record Rule(String id, Level level, String who, String requirement, Status status) {
    /** The drafts, which are not RFCs: version 2 and its extensions. */
    static final List<String> DRAFTS = List.of("V2", "XCH", "RTR", "RPR");

    /** The strength of a requirement. */
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

        /** Returns the word in ledgers and on the page. */
        String words() {
            return name().replace('_', ' ');
        }

        static Optional<Level> of(String words) {
            return Arrays.stream(values()).filter(level -> level.words().equals(words)).findFirst();
        }

        /** Returns whether an implementation has to obey the rule to conform. */
        boolean isBinding() {
            return this == MUST || this == MUST_NOT || this == REQUIRED || this == DECIDED;
        }

        /** Returns whether an implementation may ignore the rule only for good reasons. */
        boolean isAdvice() {
            return this == SHOULD || this == SHOULD_NOT;
        }

        /** Returns whether code has to cite the rule. Every level needs a passed test. */
        boolean needsCitation() {
            return this != DESCRIBED;
        }
    }

    /** The status of a rule in this project. */
    sealed interface Status {
        /** The code obeys it. */
        record Implemented() implements Status {}

        /** The code does not obey the rule, or cannot. */
        record Exception(String reason) implements Status {}

        /**
         * The rule belongs to a feature that is not built yet.
         *
         * @param today the behavior until then; may be empty
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

    /** Returns the document, such as 8166 or RTR. */
    String document() {
        return id.substring(0, id.indexOf('-'));
    }

    /** Returns the title of a document, such as RFC 8166. */
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
