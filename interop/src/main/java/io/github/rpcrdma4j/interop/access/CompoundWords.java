package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SecurityChoice;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.xdr.XdrException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** The essential parts of results of NFS version 4, in words. */
final class CompoundWords {
    /** What a case asks for of a file. */
    static final AttributeSet ATTRIBUTES =
            AttributeSet.of(
                    Attribute.TYPE,
                    Attribute.SIZE,
                    Attribute.MODE,
                    Attribute.OWNER,
                    Attribute.OWNER_GROUP);

    private CompoundWords() {}

    /** Returns the operation, its status, and those parts that depend on access rights. */
    static String of(Result result) {
        return "%s %s %s".formatted(result.opcode(), result.status(), values(result)).strip();
    }

    private static String values(Result result) {
        return switch (result) {
            case DataResult.Read(var isEnd, var data, _) -> bytes(data.byteSize(), isEnd);
            case DataResult.ReadPlus(var isEnd, var contents) ->
                    bytes(contents.stream().mapToLong(CompoundWords::length).sum(), isEnd);
            case DataResult.Seek(_, var offset) -> "at " + offset;
            case DataResult.Write(var count, _, _) -> bytes(count, false);
            case CopyResult.Copy copy -> bytes(copy.count(), false);
            case AttributeResult.GetAttr(var attributes) -> attributes(attributes);
            case AttributeResult.Access(_, var granted) -> "access=%03x".formatted(granted);
            case LockResult.Denied denied -> denied.type().name();
            case NameResult.ReadLink link -> "->" + link.path();
            case NameResult.ReadDir(_, var entries, var isLast) ->
                    entries.stream()
                                    .map(each -> each.name().toString())
                                    .sorted()
                                    .collect(Collectors.joining(" "))
                            + (isLast ? "" : " and more");
            case HandleResult.SecInfo(var choices) -> flavors(choices);
            case HandleResult.SecInfoNoName(var choices) -> flavors(choices);
            case XattrResult.GetXattr(var value) -> bytes(value.byteSize(), false);
            case XattrResult.ListXattrs(_, var names, _) ->
                    names.stream().map(Object::toString).sorted().toList().toString();
            case StateResult.Open open -> delegation(open.delegation());
            case Result _ -> "";
        };
    }

    private static String delegation(OpenDelegation delegation) {
        return switch (delegation) {
            case OpenDelegation.Read _ -> "read delegation";
            case OpenDelegation.Write _ -> "write delegation";
            case OpenDelegation.None _, OpenDelegation.Refused _ -> "";
        };
    }

    private static String bytes(long count, boolean isEnd) {
        return count + (isEnd ? " bytes to the end" : " bytes");
    }

    private static long length(DataResult.ReadPlus.Content content) {
        return switch (content) {
            case DataResult.ReadPlus.Content.Data(_, var data) -> data.byteSize();
            case DataResult.ReadPlus.Content.Hole(_, var length) -> length;
        };
    }

    private static String flavors(List<SecurityChoice> choices) {
        return choices.stream()
                .map(
                        each ->
                                switch (each) {
                                    case SecurityChoice.Flavor(var number) -> "flavor " + number;
                                    case SecurityChoice.Gss gss -> "gss " + gss.service();
                                })
                .sorted()
                .collect(Collectors.joining(" "));
    }

    private static String attributes(EncodedAttributes encoded) {
        try {
            var found = ReadAttributes.decode(encoded);
            return "type %d %s:%s %04o size=%d"
                    .formatted(
                            found.word(Attribute.TYPE),
                            text(found, Attribute.OWNER),
                            text(found, Attribute.OWNER_GROUP),
                            found.word(Attribute.MODE),
                            found.hyper(Attribute.SIZE));
        } catch (XdrException malformed) {
            return "malformed: " + malformed.getMessage();
        }
    }

    private static String text(ReadAttributes found, Attribute attribute) {
        return new String(found.bytes(attribute), StandardCharsets.UTF_8);
    }
}
