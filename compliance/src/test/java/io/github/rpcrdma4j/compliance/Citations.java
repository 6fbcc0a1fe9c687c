package io.github.rpcrdma4j.compliance;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The citations in comments of shipped code, which name the rules that the code obeys: {@code RFC
 * 8166-4.5-1}, or several: {@code RFC 8166-4.5-1, 8166-4.5-2}. Rules of drafts have names: {@code
 * RTR-7.2-4}.
 */
final class Citations {
    private static final Pattern COMMENT =
            Pattern.compile("(?:[ \\t]*//[^\\n]*\\n?)+|/\\*.*?\\*/", Pattern.DOTALL);
    private static final String SPACE = "[\\s*/]+";
    private static final String ID = "\\d{4}-[\\d.-]*\\d";
    private static final Pattern SINGLE = Pattern.compile(ID);
    private static final Pattern CITATION =
            Pattern.compile("\\bRFC" + SPACE + "(" + ID + "(?:," + SPACE + ID + ")*)");

    /** An id as in the ledgers of drafts; other words with dashes do not match. */
    private static final Pattern DRAFT_CITATION =
            Pattern.compile("\\b(?:" + String.join("|", Rule.DRAFTS) + ")-[A-Z\\d.]+-\\d+\\b");

    /** The number of citations, by rule and class. */
    private final Map<String, Map<String, Integer>> counts = new TreeMap<>();

    /** Adds the citations of a source file, or of a part of one. */
    void scan(String className, String source) {
        forEach(
                source,
                (id, _, _) ->
                        counts.computeIfAbsent(id, _ -> new TreeMap<>())
                                .merge(className, 1, Integer::sum));
    }

    /** Removes the citations of a source file that was added, or of a part of one. */
    void forget(String className, String source) {
        forEach(
                source,
                (id, _, _) -> {
                    var classes = counts.get(id);
                    classes.computeIfPresent(
                            className, (_, count) -> count == 1 ? null : count - 1);
                    if (classes.isEmpty()) {
                        counts.remove(id);
                    }
                });
    }

    /** Receives a citation: the rule, the comment, and the position of the id in the comment. */
    interface Visitor {
        void cited(String id, String comment, int at);
    }

    /** Finds all citations of a source file. */
    static void forEach(String source, Visitor visitor) {
        var comments = COMMENT.matcher(source);
        while (comments.find()) {
            var comment = comments.group();
            var citations = CITATION.matcher(comment);
            while (citations.find()) {
                int from = citations.start(1);
                SINGLE.matcher(citations.group(1))
                        .results()
                        .forEach(each -> visitor.cited(each.group(), comment, from + each.start()));
            }
            DRAFT_CITATION
                    .matcher(comment)
                    .results()
                    .forEach(each -> visitor.cited(each.group(), comment, each.start()));
        }
    }

    /** Returns all cited rules. */
    Set<String> ids() {
        return counts.keySet();
    }

    /**
     * Returns the classes that cite a rule, in alphabetical order, each with its number of
     * citations.
     */
    Map<String, Integer> of(String id) {
        return counts.getOrDefault(id, Map.of());
    }
}
