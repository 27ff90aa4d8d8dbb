//! Binaries: content, description, ranges, digests, fixity.

use crate::harness::{SPARQL, Server, TURTLE};

const TEXT: (&str, &str) = ("content-type", "text/plain; charset=utf-8");
// Of "0123456789".
const SHA1: &str = "sha=87acec17cd9dcd20a716cc2cf67417b71c8a7016";
const SHA256: &str = "sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:";

#[test]
fn a_binary_keeps_its_bytes() {
    let server = Server::new();
    server.run(&[
        (
            "PUT /ldp/b",
            &[
                TEXT,
                ("content-disposition", "attachment; filename=\"d.txt\""),
            ],
            "0123456789",
            201,
            &[("link", "rel=\"describedby\"")],
        ),
        (
            "GET /ldp/b",
            &[],
            "",
            200,
            &[
                ("content-type", "text/plain; charset=utf-8"),
                ("content-length", "10"),
                ("body", "0123456789"),
                ("link", "ldp#NonRDFSource"),
                ("link", "<http://h/ldp/b/fcr:metadata>; rel=\"describedby\""),
                ("content-disposition", "filename=\"d.txt\""),
                ("accept-ranges", "bytes"),
                ("etag", "\""),
            ],
        ),
        ("HEAD /ldp/b", &[], "", 200, &[("content-length", "10")]),
        (
            "HEAD /ldp/b",
            &[("range", "bytes=2-3")],
            "",
            200,
            &[("content-length", "10"), ("!content-range", "")],
        ),
        (
            "GET /ldp/b/fcr:content",
            &[],
            "",
            200,
            &[("body", "0123456789")],
        ),
        (
            "GET /ldp/b/fcr:metadata",
            &[],
            "",
            200,
            &[
                ("content-type", "text/turtle"),
                ("link", "<http://h/ldp/b>; rel=\"describes\""),
            ],
        ),
        (
            "PATCH /ldp/b/fcr:metadata",
            &[SPARQL],
            "INSERT DATA { <> <urn:title> \"t\" }",
            204,
            &[],
        ),
        (
            "GET /ldp/b/fcr:metadata",
            &[],
            "",
            200,
            &[("body", "urn:title")],
        ),
        ("GET /ldp/b", &[], "", 200, &[("body", "0123456789")]),
        ("PUT /ldp/b", &[TURTLE], "", 415, &[]),
        ("POST /ldp/b", &[TURTLE], "", 405, &[("allow", "PUT")]),
        ("PUT /ldp/b", &[TEXT], "new", 204, &[]),
        (
            "GET /ldp/b",
            &[],
            "",
            200,
            &[("body", "new"), ("content-length", "3")],
        ),
        (
            "PUT /ldp/t",
            &[
                TURTLE,
                (
                    "link",
                    "<http://www.w3.org/ns/ldp#NonRDFSource>; rel=\"type\"",
                ),
            ],
            "no turtle",
            201,
            &[],
        ),
        (
            "GET /ldp/t",
            &[],
            "",
            200,
            &[("content-type", "text/turtle"), ("body", "no turtle")],
        ),
        ("DELETE /ldp/b", &[], "", 204, &[]),
        ("GET /ldp/b/fcr:metadata", &[], "", 410, &[]),
    ]);
}

#[test]
fn ranges_are_parts_of_the_content() {
    let server = Server::new();
    server.run(&[("PUT /ldp/b", &[TEXT], "0123456789", 201, &[])]);
    let etag = server.send("GET /ldp/b", &[], "").header("etag");
    server.run(&[
        (
            "GET /ldp/b",
            &[("range", "bytes=2-4")],
            "",
            206,
            &[
                ("content-range", "bytes 2-4/10"),
                ("content-length", "3"),
                ("body", "234"),
            ],
        ),
        (
            "GET /ldp/b",
            &[("range", "bytes=-3")],
            "",
            206,
            &[("body", "789")],
        ),
        (
            "GET /ldp/b",
            &[("range", "bytes=0-0,8-")],
            "",
            206,
            &[
                ("content-type", "multipart/byteranges; boundary="),
                ("body", "Content-Range: bytes 0-0/10\r\n\r\n0\r\n--"),
                ("body", "Content-Range: bytes 8-9/10\r\n\r\n89\r\n--"),
            ],
        ),
        (
            "GET /ldp/b",
            &[("range", "bytes=20-")],
            "",
            416,
            &[("content-range", "bytes */10")],
        ),
        (
            "GET /ldp/b",
            &[("range", "bytes=2-4"), ("if-range", "\"old\"")],
            "",
            200,
            &[("body", "0123456789")],
        ),
        (
            "GET /ldp/b",
            &[("range", "bytes=2-4"), ("if-range", &etag)],
            "",
            206,
            &[("body", "234")],
        ),
        ("GET /ldp/b", &[("if-none-match", &etag)], "", 304, &[]),
    ]);
    let answer = server.send("GET /ldp/b", &[("range", "bytes=0-0,8-")], "");
    assert_eq!(
        answer.header("content-length"),
        answer.body.len().to_string()
    );
}

#[test]
fn digests_are_checked_and_given() {
    let wrong = "sha=0000000000000000000000000000000000000000";
    Server::new().run(&[
        (
            "PUT /ldp/b",
            &[TEXT, ("digest", wrong)],
            "0123456789",
            409,
            &[("body", "sha=")],
        ),
        ("GET /ldp/b", &[], "", 404, &[]),
        (
            "PUT /ldp/b",
            &[TEXT, ("digest", "crc=1")],
            "0123456789",
            400,
            &[],
        ),
        (
            "PUT /ldp/b",
            &[TEXT, ("digest", SHA1), ("repr-digest", SHA256)],
            "0123456789",
            201,
            &[],
        ),
        ("PUT /ldp/r", &[TURTLE, ("digest", wrong)], "", 409, &[]),
        (
            "GET /ldp/b",
            &[("want-digest", "md5;q=0.3, sha")],
            "",
            200,
            &[("digest", "md5=eB5eJF1ptWaXm4bijSPyxw==")],
        ),
        (
            "HEAD /ldp/b",
            &[("want-repr-digest", "sha-256=10")],
            "",
            200,
            &[("repr-digest", SHA256), ("!digest", "")],
        ),
        (
            "GET /ldp/b/fcr:fixity",
            &[],
            "",
            200,
            &[("body", "SUCCESS"), ("body", "84d89877")],
        ),
        ("GET /ldp/fcr:fixity", &[], "", 404, &[]),
    ]);
}

#[test]
fn a_damaged_file_fails_its_fixity() {
    let server = Server::new();
    server.run(&[("PUT /ldp/b", &[TEXT], "0123456789", 201, &[])]);
    let hash = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882";
    let file = server
        .dir
        .path()
        .join(format!("store/bin/{}/{}/{hash}", &hash[..2], &hash[2..4]));
    std::fs::write(&file, "0123456780").expect("the file of the binary");
    server.run(&[(
        "GET /ldp/b/fcr:fixity",
        &[],
        "",
        200,
        &[("body", "BAD_CHECKSUM")],
    )]);
}

#[test]
fn names_of_files_come_back() {
    let server = Server::new();
    let euro = "filename*=UTF-8''%E2%82%AC%2Etxt";
    for (i, (sent, given)) in [
        ("attachment; filename*=UTF-8''%E2%82%AC.txt", euro),
        (
            "attachment; filename=\"f.txt\"; filename*=UTF-8''%E2%82%AC.txt",
            euro,
        ),
        (
            "attachment; filename=\"é.txt\"",
            "filename*=UTF-8''%C3%A9%2Etxt",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let (put, get) = (format!("PUT /ldp/n{i}"), format!("GET /ldp/n{i}"));
        let named = [TEXT, ("content-disposition", sent)];
        server.run(&[
            (&put, &named, "x", 201, &[]),
            (&get, &[], "", 200, &[("content-disposition", given)]),
        ]);
    }
    let control = ("content-disposition", "attachment; filename*=UTF-8''a%0Ab");
    let refused = &[("body", "control character")];
    server.run(&[("PUT /ldp/c", &[TEXT, control], "x", 400, refused)]);
}
