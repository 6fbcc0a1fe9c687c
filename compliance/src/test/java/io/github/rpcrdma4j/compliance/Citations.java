package io.github.rpcrdma4j.compliance;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Where comments of shipped code name the rules that the code obeys: {@code RFC 8166-4.5-1}, or
 * several: {@code RFC 8166-4.5-1, 8166-4.5-2}; and those of drafts, which have names: {@code
 * RTR-7.2-4}.
 */
final class Citations {
    private static final Pattern COMMENT =
            Pattern.compile("(?:[ \\t]*//[^\\n]*\\n?)+|/\\*.*?\\*/", Pattern.DOTALL);
    private static final String SPACE = "[\\s*/]+";
    private static final String ID = "\\d{4}-[\\d.-]*\\d";
    private static final Pattern CITATION =
            Pattern.compile("\\bRFC" + SPACE + "(" + ID + "(?:," + SPACE + ID + ")*)");

    /** As in the ledgers of drafts; other words with dashes are not like this. */
    private static final Pattern DRAFT_CITATION =
            Pattern.compile("\\b(?:" + String.join("|", Rule.DRAFTS) + ")-[A-Z\\d.]+-\\d+\\b");

    private final Map<String, Set<String>> places = new TreeMap<>();

    /** Reads a source file. */
    void scan(String className, String source) {
        var comments = COMMENT.matcher(source);
        while (comments.find()) {
            var citations = CITATION.matcher(comments.group());
            while (citations.find()) {
                for (var id : citations.group(1).split("," + SPACE)) {
                    put(id, className);
                }
            }
            DRAFT_CITATION
                    .matcher(comments.group())
                    .results()
                    .forEach(cited -> put(cited.group(), className));
        }
    }

    private void put(String id, String className) {
        places.computeIfAbsent(id, _ -> new TreeSet<>()).add(className);
    }

    /** All rules that are cited. */
    Set<String> ids() {
        return places.keySet();
    }

    /** The classes that cite a rule, in alphabetical order. */
    Set<String> of(String id) {
        return places.getOrDefault(id, Set.of());
    }
}
