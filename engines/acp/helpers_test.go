package acp

const usersPolicy = `
name: test
description: a policy
actor:
  name: actor
resources:
  users:
    permissions:
      read:
        expr: owner + reader
      write:
        expr: owner
    relations:
      owner:
        types: [actor]
      reader:
        types: [actor]
`

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
